import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { freePort } from '../harness/free-port.ts'
import { bootNestedSystem, type NestedSystem } from './nested-system.ts'
import { FIRST_RESPONSE_MS_MAX, firstResponse, RELEASE, ROOT_PASSWORD } from './release.ts'

const STOP_MS_MAX = 35_000

/** Properties of the running service that systemd reports as the kernel enforces them. */
async function statusOf({ run }: NestedSystem): Promise<Readonly<Record<string, string>>> {
  const { output } = await run(
    'sh',
    '-c',
    'cat /proc/$(systemctl show --property=MainPID --value tollgate)/status',
  )
  return Object.fromEntries(
    output
      .split('\n')
      .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
}

test('install.sh starts the service of the systemd unit, which gives a first response within 60 s and stops in time', async () => {
  await using system = await bootNestedSystem(join(RELEASE, 'assets'))
  const port = await freePort()
  const settings = `install -d /etc/tollgate && printf 'PORT=${port}\nROOT_PASSWORD=${ROOT_PASSWORD}\n' >/etc/tollgate/tollgate.env`
  expect(await system.run('sh', '-c', settings)).toEqual({ code: 0, output: '' })

  const startedAt = performance.now()
  const installed = await system.run('sh', '/mnt/install.sh')
  expect(installed.output).toContain('is installed: /usr/local/bin/tollgate')
  expect(installed.code).toBe(0)
  expect(await firstResponse(`http://127.0.0.1:${port}`)).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(FIRST_RESPONSE_MS_MAX)

  const status = await statusOf(system)
  expect(status.Uid).not.toMatch(/^0\b/)
  expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2' })
  // CAP_NET_BIND_SERVICE and nothing else.
  expect(status.CapBnd).toBe('0000000000000400')
  const inside = (command: string) =>
    system.run(
      'sh',
      '-c',
      `nsenter --target=$(systemctl show --property=MainPID --value tollgate) --mount sh -c '${command}'`,
    )
  expect((await inside('touch /usr/local/x')).output).toContain('Read-only file system')
  expect((await inside('touch /etc/x')).output).toContain('Read-only file system')
  expect((await system.run('ls', '-A', '/var/lib/tollgate/')).output).toContain('tollgate.db')
  expect((await system.run('stat', '-c', '%a', '/var/lib/tollgate/')).output).toBe('700\n')

  const checked = await system.run('env', 'DATA_DIR=/var/lib/tollgate', `PORT=${port}`, 'tollgate', 'doctor')
  expect(checked.output).toMatch(/^ok +port +a gateway is serving/m)
  expect(checked.output).toMatch(/^ok +key +the secret key fits the database$/m)
  expect((await system.run('sh', '/mnt/install.sh')).output).toContain('was installed already')

  const stoppedAt = performance.now()
  expect((await system.run('systemctl', 'stop', 'tollgate')).code).toBe(0)
  expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS_MAX)
  const result = await system.run(
    'systemctl',
    'show',
    '--property=Result',
    '--property=ExecMainStatus',
    'tollgate',
  )
  expect(result.output.trim().split('\n').sort()).toEqual(['ExecMainStatus=0', 'Result=success'])
})
