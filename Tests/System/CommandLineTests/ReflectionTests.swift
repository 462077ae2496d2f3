import Testing

/// Reflection, tested with gRPC's own client for Python.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ReflectionTests {
  /// Defines `ask(version, requests)`, which returns the answers of one stream.
  private static let client = """
    import grpc, subprocess, tempfile, threading
    from pathlib import Path
    protos = Path(sys.modules["raw_client"].__file__).parents[3] / "proto"
    generated = tempfile.TemporaryDirectory()
    subprocess.check_call(["protoc", f"--proto_path={protos}/grpc/reflection/v1",
      f"--python_out={generated.name}", "reflection.proto"])
    sys.path.insert(0, generated.name)
    from reflection_pb2 import ExtensionRequest, ServerReflectionRequest as Request
    from reflection_pb2 import ServerReflectionResponse as Response
    def stream(version, requests):
      channel = grpc.insecure_channel(address)
      method = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
      return channel.stream_stream(method, request_serializer=Request.SerializeToString,
        response_deserializer=Response.FromString)(requests, timeout=60)
    def ask(version, *requests):
      return list(stream(version, iter(requests)))

    """

  @Test func everyServiceIsDescribedInBothVersions() async throws {
    try await HostileClient.run(
      Self.client + """
        from google.protobuf import descriptor_pb2, descriptor_pool
        for version in "v1", "v1alpha":
          services = [service.name for service in
            ask(version, Request(list_services=""))[0].list_services_response.service]
          assert services == ["anechoic.v1.RoutingService", "anechoic.v1.SessionService",
            "anechoic.v1.SpatialProfileService", "anechoic.v1.VoiceProcessingService",
            "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection"], services
          files = {}
          for answer in ask(version, *[Request(file_containing_symbol=name) for name in services]):
            for file in answer.file_descriptor_response.file_descriptor_proto:
              file = descriptor_pb2.FileDescriptorProto.FromString(file)
              files[file.name] = file
              assert not file.extension and all(not type.extension for type in file.message_type)
          pool = descriptor_pool.DescriptorPool()
          def add(name):
            file = files.pop(name, None)
            if file:
              for other in file.dependency:
                add(other)
              pool.Add(file)
          for name in list(files):
            add(name)
          methods = {name: len(pool.FindServiceByName(name).methods) for name in services}
          assert methods["anechoic.v1.VoiceProcessingService"] == 3, methods
          assert methods["anechoic.v1.RoutingService"] == 3, methods
          pool.FindMessageTypeByName("anechoic.v1.ProcessRequest")
        """)
  }

  @Test func anUnknownNameIsAnErrorOfItsOwn() async throws {
    try await HostileClient.run(
      Self.client + """
        known = ask("v1", Request(file_by_filename="anechoic/v1/audio.proto"),
          Request(file_containing_symbol="anechoic.v1.SessionService.SetMute"),
          Request(file_containing_symbol="anechoic.v1.SessionEnded.Reason"),
          Request(all_extension_numbers_of_type="anechoic.v1.Start"))
        assert all(len(answer.file_descriptor_response.file_descriptor_proto) > 0
          for answer in known[:3]), known
        numbers = known[3].all_extension_numbers_response
        assert numbers.base_type_name == "anechoic.v1.Start" and not numbers.extension_number
        unknown = ask("v1", Request(file_by_filename="nobody.proto"),
          Request(file_containing_symbol="no.body"),
          Request(all_extension_numbers_of_type="no.body"),
          Request(file_containing_extension=ExtensionRequest(containing_type="no.body")), Request())
        codes = [answer.error_response.error_code for answer in unknown]
        assert codes == [5, 5, 5, 5, 3], codes
        assert unknown[0].original_request == Request(file_by_filename="nobody.proto")
        try:
          ask("v1", Request(file_by_filename="x" * 2000))
          assert False
        except grpc.RpcError as error:
          assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
        """)
  }

  @Test func openStreamsTakeNoThreads() async throws {
    try await HostileClient.run(
      Self.client + """
        before = thread_count()
        connection = Connection(address)
        path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
        calls = []
        for _ in range(1001):
          calls.append(connection.call(path))
          calls[-1].send(b"\\x3a\\x00")
          if len(calls) % 100 == 0:  # More calls at once would be a flood.
            connection.pump(0.02)
        ended = [call for call in calls if not call.wait(messages=1)]
        assert len(ended) == 1 and ended[0].code == 8, [call.code for call in ended]
        assert thread_count() <= before + 2, (before, thread_count())
        for call in calls:
          call.cancel()
        until = time.monotonic() + 20
        while True:
          connection.pump(0.1)
          try:
            assert len(ask("v1", Request(list_services=""))) == 1
            break
          except grpc.RpcError as error:
            assert time.monotonic() < until, error
        """, server: ["--max-calls-per-connection", "2000"])
  }

  @Test func reflectionCanBeSwitchedOff() async throws {
    try await HostileClient.run(
      Self.client + """
        for version in "v1", "v1alpha":
          try:
            ask(version, Request(list_services=""))
            assert False
          except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error
        """, server: ["--no-reflection"])
  }
}
