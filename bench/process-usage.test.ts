import { expect, test } from 'bun:test'
import { elapsedMs } from '#server/core/clock.ts'
import { readUsage } from './process-usage.ts'

const TIMEOUT_MS = 20_000

test.if(process.platform === 'linux')(
  'readUsage includes the CPU time of child processes',
  async () => {
    const loop = 'while (process.cpuUsage().user < 400_000);'
    const code = `Bun.spawnSync([process.execPath, '-e', ${JSON.stringify(loop)}]); setTimeout(() => {}, 60000)`
    const child = Bun.spawn([process.execPath, '-e', code])
    const startedMs = elapsedMs()
    let cpuSeconds = 0
    while (elapsedMs() - startedMs < TIMEOUT_MS && cpuSeconds < 0.2) {
      cpuSeconds = Math.max(cpuSeconds, readUsage(child.pid).cpuSeconds)
      await Bun.sleep(20)
    }
    const { residentMb, peakMb } = readUsage(child.pid)
    child.kill()
    expect(cpuSeconds).toBeGreaterThanOrEqual(0.2)
    expect(residentMb).toBeGreaterThan(5)
    expect(peakMb).toBeGreaterThanOrEqual(residentMb)
  },
  2 * TIMEOUT_MS,
)

test('readUsage counts a process that has ended as 0', () => {
  expect(readUsage(2 ** 30)).toEqual({ cpuSeconds: 0, residentMb: 0, peakMb: 0 })
})
