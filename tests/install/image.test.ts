import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../harness/free-port.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../harness/temporary-folder.ts'
import { buildImage, type Image } from './image.ts'
import { FIRST_RESPONSE_MS_MAX, firstResponse, ROOT_PASSWORD, runCommand } from './release.ts'

const STOP_MS_MAX = 35_000
const OPEN_TO_GROUP = 0o2775

let folder: TemporaryFolder
let image: Image

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error('building the image needs root')
  folder = makeTemporaryFolder()
  const root = join(folder.path, 'root')
  mkdirSync(root)
  image = await buildImage(root)
})
afterAll(() => folder.remove())

/**
 * The command of a container as compose.yml starts it: a read-only root, /tmp in memory, the volumes of the image, its user,
 * no capability.
 */
function inContainer(command: readonly string[], environment: Readonly<Record<string, string>>): string[] {
  const { root, user, volumes, workingFolder } = image
  const [uid, gid] = user.split(':')
  const variables = Object.entries({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...image.environment,
    ...environment,
  })
  const setup = [
    'mount --make-rprivate /',
    `mount --bind ${root} ${root}`,
    ...volumes.map(path => `mount --bind ${root}${path} ${root}${path}`),
    `mount -o remount,bind,ro ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    `mount -t tmpfs tmpfs ${root}/dev`,
    `for device in null zero random urandom; do : >${root}/dev/$device; mount --bind /dev/$device ${root}/dev/$device; done`,
    `exec chroot ${root} setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all ` +
      `env -i --chdir=${workingFolder} "$@"`,
  ]
  const namespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child']
  return [
    ...namespaces,
    ...['sh', '-ec', setup.join('\n'), 'sh'],
    ...variables.map(([name, value]) => `${name}=${value}`),
    ...command,
  ]
}

test('the image serves as its own user on a read-only root, gives a first response within 60 s and stops in time', async () => {
  const environment = { PORT: String(await freePort()), ROOT_PASSWORD }
  const startedAt = performance.now()
  const program = Bun.spawn(inContainer(image.command, environment), { stdio: ['ignore', 'pipe', 'inherit'] })
  expect(await firstResponse(`http://127.0.0.1:${environment.PORT}`)).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(FIRST_RESPONSE_MS_MAX)

  const healthy = await runCommand(inContainer(image.healthCheck, environment))
  expect(healthy).toEqual({ code: 0, output: 'ready\n' })
  const { output } = await runCommand(['ps', '--ppid', String(program.pid), '-o', 'uid=,args='])
  expect(output).toMatch(/^ *10001 \S*tollgate serve/)

  const stoppedAt = performance.now()
  await runCommand(['pkill', '-TERM', '--parent', String(program.pid)])
  expect(await program.exited).toBe(0)
  expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS_MAX)
  expect((await runCommand(inContainer(image.healthCheck, environment))).code).toBe(1)
})

test('the root file system of the image cannot be written, and the data folder belongs to the gateway alone', async () => {
  const script = 'touch /usr/x /etc/x; touch /data/x && rm /data/x && stat -c "%a %u" /data'
  const { output } = await runCommand(inContainer(['sh', '-c', script], {}))
  expect(output.match(/Read-only file system/g)).toHaveLength(2)
  expect(output).toContain('700 10001\n')
})

test('the image serves from a volume of root that is open to its group, as Kubernetes mounts it', async () => {
  const data = join(image.root, 'data')
  rmSync(data, { recursive: true })
  mkdirSync(data)
  chownSync(data, 0, Number(image.user.split(':')[1]))
  chmodSync(data, OPEN_TO_GROUP)
  const environment = { PORT: String(await freePort()), ROOT_PASSWORD }
  const program = Bun.spawn(inContainer(image.command, environment), { stdio: ['ignore', 'pipe', 'inherit'] })
  expect(await firstResponse(`http://127.0.0.1:${environment.PORT}`)).toBe(200)
  await runCommand(['pkill', '-TERM', '--parent', String(program.pid)])
  expect(await program.exited).toBe(0)
})
