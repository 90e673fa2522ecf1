# syntax=docker/dockerfile:1

# The executable comes from this source tree, or with --build-arg EXECUTABLE=release from `npm run release`, which compiles
# for every platform on one machine.
ARG EXECUTABLE=source

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS source
WORKDIR /src
COPY package.json package-lock.json .npmrc .nvmrc tsconfig.json vite.config.ts ./
RUN npm ci --ignore-scripts
COPY contract contract
COPY docs docs
COPY console console
COPY features features
COPY server server
COPY scripts scripts
RUN npm run build && mkdir /out && mv dist/tollgate /out/tollgate

FROM scratch AS release-amd64
COPY --chmod=755 dist/release/bin/linux-x64/tollgate /out/tollgate

FROM scratch AS release-arm64
COPY --chmod=755 dist/release/bin/linux-arm64/tollgate /out/tollgate

FROM release-${TARGETARCH:-amd64} AS release

FROM ${EXECUTABLE} AS executable

FROM debian:12-slim@sha256:60eac759739651111db372c07be67863818726f754804b8707c90979bda511df
RUN groupadd --gid 10001 tollgate && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data tollgate \
  && install -d -m 700 -o 10001 -g 10001 /data
COPY --from=executable --chmod=755 /out/tollgate /usr/local/bin/tollgate
COPY LICENSE /usr/share/doc/tollgate/LICENSE
ENV DATA_DIR=/data PORT=3000
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=60s --start-interval=2s CMD ["tollgate", "doctor", "--ready"]
ENTRYPOINT ["tollgate"]
CMD ["serve"]
