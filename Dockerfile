# Three images: the server, the edge agent, and a demo that runs both sides and prints what it measures.
#   docker build --tag anechoic .
#   docker build --tag anechoic-edge --target edge .
#   docker build --tag anechoic-demo --target demo .
# See docs/how-to/deploy.md.

ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build

# The packages of scripts/bootstrap that the code needs, without the tools for tests and code
# generation.
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    libgrpc++-dev libprotobuf-dev libwebrtc-audio-processing-dev \
    libsndfile1-dev libsamplerate0-dev libopus-dev libssl-dev zlib1g-dev libespeak-ng-dev libasound2-dev \
    libmysofa-dev libpulse-dev libdbus-1-dev libcurl4-openssl-dev pkg-config \
  && rm -rf /var/lib/apt/lists/*

WORKDIR /src
# A separate layer, so that a change of the code does not fetch the packages again.
COPY Package.* ./
RUN swift package resolve

COPY Sources Sources
COPY clients/swift clients/swift
COPY Tests Tests
COPY training/render-scenes training/render-scenes
COPY training/render-turns training/render-turns
COPY training/render-isolation training/render-isolation
COPY scripts/builds/release scripts/builds/
COPY scripts/lib scripts/lib
# The commit that the programs name: --build-arg ANECHOIC_COMMIT="$(git rev-parse --short=12 HEAD)".
ARG ANECHOIC_COMMIT=
# The runtime image has no Swift, so Swift's libraries are a part of the executables.
RUN install -D --strip --target-directory=/out \
    "$(ANECHOIC_COMMIT=$ANECHOIC_COMMIT scripts/builds/release anechoic anechoic-edge anechoic-server)"/anechoic-server \
    .build/release/anechoic .build/release/anechoic-edge

# The edge agent, for a machine with sound hardware. See docs/how-to/set-up-an-edge.md.
FROM ${RUNTIME_IMAGE} AS edge

RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    libgrpc++1.51 libprotobuf32 libwebrtc-audio-processing1 libsndfile1 libsamplerate0 libopus0 \
    libmysofa1 libasound2 libasound2-plugins libpulse0 libdbus-1-3 \
  && rm -rf /var/cache/apt/* /var/lib/apt/lists/*

COPY --from=build /out/anechoic-edge /usr/local/bin/

LABEL org.opencontainers.image.title="anechoic-edge" \
  org.opencontainers.image.description="A voice device of sound hardware and an Anechoic server"

# 29 is Debian's group audio, which may open /dev/snd.
USER 65532:29
STOPSIGNAL SIGTERM
ENTRYPOINT ["anechoic-edge"]
CMD ["run"]
# Finds the socket of the agent where an agent of this user has it without --control-socket.
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 CMD ["anechoic-edge", "status"]

FROM ${RUNTIME_IMAGE} AS programs

# The libraries that the executables link. All others are dependencies of these.
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    libgrpc++1.51 libprotobuf32 libwebrtc-audio-processing1 libsndfile1 libsamplerate0 libopus0 \
    libmysofa1 libespeak-ng1 libcurl4 ca-certificates \
  && rm -rf /var/cache/apt/* /var/lib/apt/lists/*

COPY --from=build /out/anechoic-server /out/anechoic /usr/local/bin/

# An unprivileged user, by number: Kubernetes' runAsNonRoot cannot resolve a name.
USER 65532:65532
STOPSIGNAL SIGTERM

# The recording that the demo processes.
FROM ${RUNTIME_IMAGE} AS sample

RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    espeak-ng python3-numpy \
  && rm -rf /var/lib/apt/lists/*

COPY scripts/generators/sample /src/scripts/generators/
COPY scripts/lib /src/scripts/lib
RUN /src/scripts/generators/sample --output /sample

FROM programs AS demo

COPY --from=sample /sample/microphone.wav /sample/reference.wav /sample/
COPY --chmod=755 deploy/demo /usr/local/bin/anechoic-demo

LABEL org.opencontainers.image.title="anechoic-demo" \
  org.opencontainers.image.description="An Anechoic server and a client that measures it"

ENTRYPOINT ["anechoic-demo"]

# The last stage is the one that a build without --target makes.
FROM programs AS server

LABEL org.opencontainers.image.title="anechoic" \
  org.opencontainers.image.description="Voice processing as a gRPC service"

# Settings as variables, so that arguments of the container add to them. The HEALTHCHECK sees variables
# alone: set ANECHOIC_ADMIN_LISTEN and ANECHOIC_CONFIG rather than --admin-listen and --config.
ENV ANECHOIC_LISTEN=0.0.0.0:50051
EXPOSE 50051
ENTRYPOINT ["anechoic-server"]
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=3 \
  CMD ["anechoic-server", "healthcheck"]
