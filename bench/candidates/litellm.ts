import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../tests/harness/free-port.ts'
import { makeTemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { type Candidate, MODEL } from './candidate.ts'
import { startProcess } from './start-process.ts'

const REQUIREMENTS = join(import.meta.dir, '..', 'peers', 'litellm', 'requirements.txt')
const INSTALL_FOLDER = join(import.meta.dir, '..', '..', '.cache', 'peers', 'litellm')
const PROGRAM = join(INSTALL_FOLDER, 'bin', 'litellm')
const KEY = 'sk-bench'
/** It reads its price map from its package instead of the network. */
const ENVIRONMENT = { LITELLM_LOCAL_MODEL_COST_MAP: 'True' }

/**
 * Starts LiteLLM's proxy with one worker, a master key and no database, so without users, budgets and a log. Its packages
 * are installed on first use, into a virtual environment of their own. Throws when there is no `python3` with `venv`.
 */
export async function startLitellm(upstream: string): Promise<Candidate> {
  install()
  const folder = makeTemporaryFolder()
  const config = join(folder.path, 'config.json')
  writeFileSync(config, JSON.stringify(configFor(upstream)))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const command = [
    PROGRAM,
    '--config',
    config,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--num_workers',
    '1',
  ]
  const started = await startProcess({ command, url: `${url}/health/liveliness`, environment: ENVIRONMENT })
  return {
    name: 'litellm',
    version: /^litellm==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1] ?? '',
    pid: started.pid,
    url: `${url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${KEY}` },
    async stop() {
      await started.stop()
      folder.remove()
    },
  }
}

/** LiteLLM reads YAML, of which JSON is a part. */
const configFor = (upstream: string) => ({
  model_list: [
    {
      model_name: MODEL,
      litellm_params: { model: `openai/${MODEL}`, api_base: `${upstream}/v1`, api_key: 'lab' },
    },
  ],
  general_settings: { master_key: KEY },
})

function install(): void {
  if (existsSync(PROGRAM)) return
  mkdirSync(INSTALL_FOLDER, { recursive: true })
  run(['python3', '-m', 'venv', INSTALL_FOLDER])
  run([join(INSTALL_FOLDER, 'bin', 'pip'), 'install', '--quiet', '--requirement', REQUIREMENTS])
}

function run(command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { stdio: ['ignore', 'ignore', 'pipe'] })
  if (exitCode !== 0) throw new Error(`LiteLLM could not be installed: ${command.join(' ')}: ${stderr}`)
}
