import { readdirSync, readFileSync } from 'node:fs'

/** CPU and memory of a process and its children so far. */
export interface ProcessUsage {
  readonly cpuSeconds: number
  readonly residentMb: number
  /** The highest resident memory so far. */
  readonly peakMb: number
}

/** Linux counts CPU time in hundredths of a second on all common machines. */
const TICKS_PER_SECOND = 100
const KB_PER_MB = 1024
/** Fields of /proc/PID/stat after the name. Source: proc(5). */
const USER_TICKS = 11
const SYSTEM_TICKS = 12

/** Reads /proc, so it works on Linux only. A process that has ended counts as 0. */
export function readUsage(pid: number): ProcessUsage {
  const usages = [pid, ...descendants(pid)].map(readOne)
  const sum = (figure: (usage: ProcessUsage) => number) =>
    usages.reduce((total, usage) => total + figure(usage), 0)
  return {
    cpuSeconds: sum(usage => usage.cpuSeconds),
    residentMb: sum(usage => usage.residentMb),
    peakMb: sum(usage => usage.peakMb),
  }
}

function readOne(pid: number): ProcessUsage {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = read(`/proc/${pid}/status`)
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / KB_PER_MB
  const ticks = Number(fields[USER_TICKS] ?? 0) + Number(fields[SYSTEM_TICKS] ?? 0)
  return { cpuSeconds: ticks / TICKS_PER_SECOND, residentMb: mb('VmRSS'), peakMb: mb('VmHWM') }
}

function descendants(pid: number): readonly number[] {
  const threads = list(`/proc/${pid}/task`)
  const children = threads.flatMap(thread => read(`/proc/${pid}/task/${thread}/children`).split(' '))
  return children
    .filter(text => text.trim() !== '')
    .map(Number)
    .flatMap(child => [child, ...descendants(child)])
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
