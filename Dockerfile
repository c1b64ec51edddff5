# Beckon in one container: supervisor, PostgreSQL, API and workers. Building the image is untried; npm run test:cluster -- image runs its steps.
# Debian, because the pinned Node and PostgreSQL are built for glibc. Any Node from 20 on will do: it only installs ours.
FROM node:22-bookworm-slim

# The pinned Node needs this library on arm64, and the base image does not keep it.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*

WORKDIR /beckon
COPY package.json package-lock.json .npmrc ./
COPY bin bin
RUN node bin/install.mjs run
COPY src src
# The libraries of PostgreSQL get their links now: the user below may not write here.
RUN node_modules/.bin/node -e "import('/beckon/src/runtime/postgres/binaries.ts').then((binaries) => binaries.locateBinaries())"
COPY web web
COPY docs docs
COPY README.md tsconfig.json ./

# PostgreSQL refuses to be root; the image brings this user along.
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node

ENV HOST=0.0.0.0 BECKON_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((reply) => process.exit(reply.ok ? 0 : 1))"]
CMD ["bin/beckon", "start"]
