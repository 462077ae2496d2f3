# The server and its command-line tool, which also runs the health check. See docs/how-to/deploy.md.

ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build

# The packages of scripts/bootstrap that the code needs, without the tools for tests and code
# generation.
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    libgrpc++-dev libprotobuf-dev libwebrtc-audio-processing-dev \
    libsndfile1-dev libsamplerate0-dev libssl-dev libespeak-ng-dev libasound2-dev pkg-config \
  && rm -rf /var/lib/apt/lists/*

WORKDIR /src
# A separate layer, so that a change of the code does not fetch the packages again.
COPY Package.* ./
RUN swift package resolve

COPY Sources Sources
COPY Tests Tests
# The runtime image has no Swift, so link Swift's libraries statically.
RUN swift build --configuration release --static-swift-stdlib --product anechoic-server \
  && swift build --configuration release --static-swift-stdlib --product anechoic \
  && swift build --configuration release --static-swift-stdlib --product anechoic-edge \
  && install -D --strip --target-directory=/out .build/release/anechoic-server \
    .build/release/anechoic .build/release/anechoic-edge

# The edge agent, for a machine with sound hardware: docker build --target edge.
# See docs/how-to/set-up-an-edge.md.
FROM ${RUNTIME_IMAGE} AS edge

RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    libgrpc++1.51 libprotobuf32 libwebrtc-audio-processing1 libsndfile1 libsamplerate0 \
    libasound2 libasound2-plugins \
  && rm -rf /var/lib/apt/lists/*

COPY --from=build /out/anechoic-edge /usr/local/bin/

LABEL org.opencontainers.image.title="anechoic-edge" \
  org.opencontainers.image.description="A voice device of sound hardware and an Anechoic server"

# 29 is Debian's group audio, which may open /dev/snd.
USER 65532:29
STOPSIGNAL SIGTERM
ENTRYPOINT ["anechoic-edge"]
CMD ["run", "--control-socket", "/tmp/anechoic-edge.sock"]
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 \
  CMD ["anechoic-edge", "status", "--control-socket", "/tmp/anechoic-edge.sock"]

FROM ${RUNTIME_IMAGE} AS server

# The libraries that the executables link. All others are dependencies of these.
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    libgrpc++1.51 libprotobuf32 libwebrtc-audio-processing1 libsndfile1 libsamplerate0 \
    libespeak-ng1 \
  && rm -rf /var/lib/apt/lists/*

COPY --from=build /out/anechoic-server /out/anechoic /usr/local/bin/

LABEL org.opencontainers.image.title="anechoic" \
  org.opencontainers.image.description="Voice processing as a gRPC service"

# An unprivileged user, by number: Kubernetes' runAsNonRoot cannot resolve a name.
USER 65532:65532
EXPOSE 50051
STOPSIGNAL SIGTERM
ENTRYPOINT ["anechoic-server"]
CMD ["--listen", "0.0.0.0:50051"]
# Matches the CMD above. If the server listens on another address, change this too.
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 \
  CMD ["anechoic", "health", "--server", "127.0.0.1:50051"]
