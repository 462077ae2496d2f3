"""Measures what a session in real time costs a server, for each engine at 16 and 48 kHz.

Each client sends 20 ms of speech-like noise and of a reference in each message, on a connection of its
own to a HAProxy with one thread. The processor time and the memory are those of the server's process and
of HAProxy. The bandwidth is counted at the server's network interface, with all headers, and without TLS.
"""

import argparse
import asyncio
import os
import sys
import time

import grpc
import numpy

from anechoic.v1 import audio_pb2, voice_processing_pb2 as api, voice_processing_pb2_grpc
from client import key
from network import Network
from server import server_command

CHUNK_SECONDS = 0.02
PROXY = """
global
  nbthread 1
  tune.h2.max-concurrent-streams 1024
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
listen anechoic
  bind :50051 proto h2
  server a {server}:50051 proto h2
"""
ENGINES = ["webrtc-audio-processing", "anechoic"]
TICKS = os.sysconf("SC_CLK_TCK")


def audio(rate, seed):
    """Two seconds of noise whose level changes as that of speech does."""
    random = numpy.random.default_rng(seed)
    count = 2 * rate
    level = 0.05 + 0.2 * (numpy.sin(numpy.arange(count) * 2 * numpy.pi * 3 / rate) > 0)
    return (random.normal(size=count) * level * 8000).clip(-32000, 32000).astype("<i2").tobytes()


async def session(address, number, rate, engine, until):
    channel = grpc.aio.insecure_channel(
        address, options=[("grpc.use_local_subchannel_pool", 1)])
    name = f"cost{number}"
    request = api.Start(session_id=name, pacing=api.PACING_REAL_TIME, engine=engine)
    form = audio_pb2.AudioFormat(
        encoding=audio_pb2.AUDIO_ENCODING_PCM_S16LE, sample_rate_hz=rate, channel_count=1)
    request.inputs.microphone.CopyFrom(form)
    request.inputs.reference.CopyFrom(form)
    call = voice_processing_pb2_grpc.VoiceProcessingServiceStub(channel).Process(metadata=key(name))
    await call.write(api.ProcessRequest(start=request))
    microphone, reference = audio(rate, number), audio(rate, number + 1000)
    size = 2 * int(rate * CHUNK_SECONDS)

    async def read():
        async for _ in call:
            pass

    reading = asyncio.create_task(read())
    began, chunk = time.monotonic() + number * 0.001, 0
    while time.monotonic() < until():
        offset = chunk * size % len(microphone)
        message = api.ProcessRequest()
        message.audio.microphone.samples = microphone[offset:offset + size]
        message.audio.reference.samples = reference[offset:offset + size]
        await call.write(message)
        chunk += 1
        await asyncio.sleep(max(0, began + chunk * CHUNK_SECONDS - time.monotonic()))
    await call.done_writing()
    await reading
    await channel.close()


def processor_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_bytes(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return 0


def traffic(pid):
    """Bytes received and sent by the server's interface."""
    for line in open(f"/proc/{pid}/net/dev"):
        if line.strip().startswith("eth0:"):
            fields = line.split(":")[1].split()
            return int(fields[0]), int(fields[8])
    return 0, 0


async def measure(network, options, engine, rate):
    log = open(os.path.join(options.work, "server.log"), "a")
    server = network.start("server", server_command(options.bin, threads=2, http_listen="off"), log)
    proxy = network.start("proxy", ["/usr/sbin/haproxy", "-db", "-f", options.proxy], log)
    try:
        address = f"{network.addresses['proxy']}:50051"
        limit = time.monotonic() + 20
        while True:
            try:
                async with grpc.aio.insecure_channel(address) as channel:
                    await voice_processing_pb2_grpc.VoiceProcessingServiceStub(channel).GetCapabilities(
                        api.GetCapabilitiesRequest(), timeout=5)
                break
            except grpc.aio.AioRpcError:
                if time.monotonic() > limit or server.poll() is not None:
                    sys.exit("costs: the server does not answer: " + open(log.name).read()[-1000:])
        empty = memory_bytes(server.pid)
        end = [float("inf")]
        tasks = [
            asyncio.create_task(session(address, number, rate, engine, lambda: end[0]))
            for number in range(options.sessions)]
        await asyncio.sleep(5)
        began, used, routed, (received, sent) = (
            time.monotonic(), processor_seconds(server.pid), processor_seconds(proxy.pid),
            traffic(server.pid))
        await asyncio.sleep(options.seconds)
        elapsed = time.monotonic() - began
        used = processor_seconds(server.pid) - used
        routed = processor_seconds(proxy.pid) - routed
        full = memory_bytes(server.pid)
        received, sent = (
            now - before for now, before in zip(traffic(server.pid), (received, sent)))
        end[0] = 0
        await asyncio.gather(*tasks)
    finally:
        for program in server, proxy:
            program.kill()
            program.wait()
    share = 100 * used / elapsed / options.sessions
    print(f"| {engine} | {rate // 1000} kHz | {share:.2f} % | {80 / share:.0f} | "
          f"{(full - empty) / options.sessions / 1e6:.2f} MB | {empty / 1e6:.0f} MB | "
          f"{received * 8 / elapsed / options.sessions / 1e3:.0f} kbit/s | "
          f"{sent * 8 / elapsed / options.sessions / 1e3:.0f} kbit/s | "
          f"{100 * routed / elapsed / options.sessions:.2f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=15)
    options = parser.parse_args()
    print("| engine | rate | core per session | sessions in 80 % of a core | memory per session | "
          "memory without sessions | to the server | to the client | core of HAProxy per session |")
    print("|---|---|---|---|---|---|---|---|---|")
    with Network(["server", "proxy", "clients"]) as network:
        options.proxy = os.path.join(options.work, "haproxy.cfg")
        with open(options.proxy, "w") as file:
            file.write(PROXY.format(server=network.addresses["server"]))
        network.enter("clients")
        for engine in ENGINES:
            for rate in (16_000, 48_000):
                asyncio.run(measure(network, options, engine, rate))


if __name__ == "__main__":
    main()
