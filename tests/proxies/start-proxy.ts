import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../harness/free-port.ts'
import { PROJECT } from '../harness/program.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'

const START_TIMEOUT_MS = 20_000
/** Debian keeps servers in a folder that users' paths lack. */
const PATH = `${process.env.PATH ?? ''}:/usr/sbin`

type Edit = readonly [string, string]

interface ProxyProgram {
  readonly file: string
  /** What the shipped file becomes for this test: its port, the gateway's address and, below a path, its match. */
  readonly edits: (ports: Ports, path: string) => readonly Edit[]
  /** The text that makes a whole configuration of the shipped file. */
  readonly wrap?: (folder: string, text: string) => string
  readonly command: (executable: string, place: ProxyPlace) => readonly string[]
}

interface ProxyPlace {
  readonly file: string
  readonly folder: string
  readonly own: number
}

interface Ports {
  readonly own: number
  readonly gateway: string
}

const TRAEFIK_TLS = '      tls:\n        certResolver: letsencrypt\n'
const TEMP_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

const PROGRAMS: Readonly<Record<string, ProxyProgram>> = {
  nginx: {
    file: 'nginx.conf',
    edits: ({ own, gateway }, path) => [
      ['127.0.0.1:3000', gateway],
      ['listen 80', `listen 127.0.0.1:${own}`],
      ['location / {', `location ${path}/ {`],
    ],
    wrap: (folder, text) => {
      const places = TEMP_PATHS.map(name => `${name}_temp_path ${folder}/${name};`).join(' ')
      const http = `access_log off; ${places}\n${text}`
      return `daemon off; user root; pid ${folder}/pid; events {} http { ${http} }`
    },
    command: (executable, { file, folder }) => [executable, '-p', folder, '-e', 'stderr', '-c', file],
  },
  caddy: {
    file: 'Caddyfile',
    edits: ({ own, gateway }, path) => [
      ['127.0.0.1:3000', gateway],
      ['ai.example.com {', `http://127.0.0.1:${own} {`],
      ['handle {', `handle ${path}* {`],
    ],
    wrap: (_, text) => `{\n\tadmin off\n}\n${text}`,
    command: (executable, { file }) => [executable, 'run', '--adapter', 'caddyfile', '--config', file],
  },
  haproxy: {
    file: 'haproxy.cfg',
    edits: ({ own, gateway }, path) => [
      ['127.0.0.1:3000', gateway],
      ['bind :80', `bind 127.0.0.1:${own}`],
      ['path_beg /', `path_beg ${path}/`],
    ],
    command: (executable, { file }) => [executable, '-db', '-f', file],
  },
  traefik: {
    file: 'traefik.yaml',
    edits: ({ gateway }, path) => [
      ['127.0.0.1:3000', gateway],
      [TRAEFIK_TLS, ''],
      [TRAEFIK_TLS, ''],
      path === '' ? ['Host(`ai.example.com`)', 'PathPrefix(`/`)'] : ['Host(`www.example.com`) && ', ''],
    ],
    command: (executable, { file, own }) => [
      executable,
      `--entrypoints.web.address=127.0.0.1:${own}`,
      `--providers.file.filename=${file}`,
      '--global.checknewversion=false',
      '--log.level=error',
    ],
  },
}

/** The proxies that this machine has, of those whose files the tests can run. */
export const INSTALLED_PROXIES = Object.keys(PROGRAMS).filter(name => Bun.which(name, { PATH }))

export interface RunningProxy {
  /** Without a slash at its end, and with the path below which it serves the gateway. */
  readonly url: string
  stop(): Promise<void>
}

interface ProxyOptions {
  /** The path below which it serves the gateway. */
  readonly path?: string
  /** Further changes of the shipped file. */
  readonly edits?: readonly Edit[]
}

/** Starts a proxy with its file of `deploy/proxies` before a gateway. */
export async function startProxy(
  name: string,
  gatewayUrl: string,
  { path = '', edits = [] }: ProxyOptions = {},
): Promise<RunningProxy> {
  const program = PROGRAMS[name]
  const executable = Bun.which(name, { PATH })
  if (!program || !executable) throw new Error(`no proxy ${name} on this machine`)
  const folder = makeTemporaryFolder()
  const own = await freePort()
  const shipped = readFileSync(join(PROJECT, 'deploy', 'proxies', program.file), 'utf8')
  const text = edit(shipped, [...program.edits({ own, gateway: new URL(gatewayUrl).host }, path), ...edits])
  const file = join(folder.path, program.file)
  writeFileSync(file, program.wrap?.(folder.path, text) ?? text)
  const child = Bun.spawn([...program.command(executable, { file, folder: folder.path, own })], {
    env: { PATH, HOME: folder.path },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const output = new Response(child.stderr).text()
  const url = `http://127.0.0.1:${own}${path}`
  const isReady = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  const description = `${name} in front of the gateway`
  await waitUntil({ description, timeoutMs: START_TIMEOUT_MS }, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${await output}`)
    return isReady()
  })
  return {
    url,
    async stop() {
      child.kill()
      await child.exited
      folder.remove()
    },
  }
}

function edit(text: string, edits: readonly Edit[]): string {
  return edits.reduce((edited, [from, to]) => {
    if (!edited.includes(from)) throw new Error(`the file has no "${from}"`)
    return edited.replace(from, to)
  }, text)
}
