import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../tests/harness/free-port.ts'
import peerPackage from '../peers/portkey/package.json'
import type { Candidate } from './candidate.ts'
import { startProcess } from './start-process.ts'

const LOCK_FOLDER = join(import.meta.dir, '..', 'peers', 'portkey')
const INSTALL_FOLDER = join(import.meta.dir, '..', '..', '.cache', 'peers', 'portkey')
const PROGRAM = join(INSTALL_FOLDER, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')

/** Starts the peer, which relays without accounting. Its package is installed on first use, from its own lock file. */
export async function startPortkey(upstream: string): Promise<Candidate> {
  install()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const node = process.env.npm_node_execpath ?? 'node'
  const started = await startProcess({ command: [node, PROGRAM, '--headless', `--port=${port}`], url })
  return {
    name: 'portkey',
    version: peerPackage.dependencies['@portkey-ai/gateway'],
    ...started,
    url: `${url}/v1/chat/completions`,
    headers: {
      authorization: 'Bearer lab',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream}/v1`,
    },
  }
}

function install(): void {
  if (existsSync(PROGRAM)) return
  mkdirSync(INSTALL_FOLDER, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(LOCK_FOLDER, file), join(INSTALL_FOLDER, file))
  const command = ['npm', 'ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
  const { exitCode, stderr } = Bun.spawnSync(command, {
    cwd: INSTALL_FOLDER,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (exitCode !== 0) throw new Error(`the peer could not be installed: ${stderr}`)
}
