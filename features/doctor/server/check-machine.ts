import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { type CheckResult, checkProblem, ok } from './check-result.ts'
import { type GatewayState, type ListenAddress, readGatewayState } from './gateway-state.ts'
import type { FileGrowth } from './queries.ts'

const GIB = 2 ** 30
/** Below the first the next hours are at risk, below the second the next start. */
const FREE_BYTES_WARN = 2 * GIB
const FREE_BYTES_MIN = GIB / 4
const DAYS_WARN = 14
const OTHERS_BITS = 0o077
const OTHERS_WRITE_BITS = 0o022
const PRIVATE_FILES = ['secret-key', 'tollgate.db', 'tollgate.db-wal', 'tollgate.db-shm']

/** Whether the gateway can listen, or is the one that does. */
export async function checkPort({ host, port }: ListenAddress): Promise<CheckResult> {
  try {
    Bun.listen({ hostname: host, port, socket: { data: () => undefined } }).stop(true)
    return ok('port', { zh: `端口 ${port} 空闲`, en: `port ${port} is free` })
  } catch (cause) {
    return describeTakenPort(port, await readGatewayState({ host, port }), errorMessage(cause))
  }
}

function describeTakenPort(port: number, state: GatewayState, reason: string): CheckResult {
  if (state.isReady)
    return ok('port', {
      zh: `网关正在端口 ${port} 上提供服务`,
      en: `a gateway is serving on port ${port}`,
    })
  if (state.isGateway)
    return checkProblem(
      'warn',
      'port',
      {
        zh: `端口 ${port} 上的网关尚未就绪：${state.reason}`,
        en: `the gateway on port ${port} is not ready: ${state.reason}`,
      },
      { zh: '查看网关日志', en: 'read its log' },
    )
  return checkProblem(
    'fail',
    'port',
    { zh: `无法监听端口 ${port}：${reason}`, en: `cannot listen on port ${port}: ${reason}` },
    {
      zh: '停止占用该端口的程序，或将 PORT 设为其他端口；1024 以下的端口需要 CAP_NET_BIND_SERVICE 权限',
      en: 'stop the program that has it, or set PORT to another; a port below 1024 needs CAP_NET_BIND_SERVICE',
    },
  )
}

/**
 * Whether the data folder can be written and has room, also for what the log will need soon. A folder that is missing is
 * created by the first start.
 */
export function checkDisk(dataDir: string, growth?: FileGrowth): CheckResult {
  const folder = nearestFolder(dataDir)
  try {
    if (!statSync(folder).isDirectory()) throw new Error('not a folder')
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    return checkProblem(
      'fail',
      'disk',
      {
        zh: `无法写入 ${folder}：${errorMessage(cause)}`,
        en: `${folder} cannot be written: ${errorMessage(cause)}`,
      },
      {
        zh: '将 DATA_DIR 设为网关账户可写的文件夹',
        en: 'set DATA_DIR to a folder that the account of the gateway can write to',
      },
    )
  }
  const freeBytes = readFreeBytes(folder)
  return describeFreeSpace(folder, freeBytes, growth && daysUntilFull(freeBytes, growth, nowSeconds()))
}

export function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const DAY_SECONDS = 86_400
/** Fewer say nothing of the days to come. */
const RECENT_ROWS_MIN = 1000

/** At the pace of the recent rows. Undefined where they are too few. */
export function daysUntilFull(freeBytes: number, growth: FileGrowth, atSeconds: number): number | undefined {
  const { usedBytes, rows, recentRows, recentFrom } = growth
  if (recentRows < RECENT_ROWS_MIN) return undefined
  const recentDays = Math.max(1, (atSeconds - recentFrom) / DAY_SECONDS)
  return Math.floor((freeBytes + growth.freeBytes) / ((usedBytes / rows) * (recentRows / recentDays)))
}

/** Exported for tests: a test cannot fill a disk. */
export function describeFreeSpace(folder: string, freeBytes: number, days?: number): CheckResult {
  const free = `${(freeBytes / GIB).toFixed(1)} GiB`
  const [zh, en] =
    days === undefined
      ? ['', '']
      : [
          `，按最近一周的速度，${days} 天后写满`,
          `; at the pace of the last week they are full in ${days} days`,
        ]
  const finding = { zh: `${folder} 剩余空间 ${free}${zh}`, en: `${free} are free in ${folder}${en}` }
  if (freeBytes >= FREE_BYTES_WARN && (days ?? DAYS_WARN) >= DAYS_WARN) return ok('disk', finding)
  return checkProblem(freeBytes < FREE_BYTES_MIN ? 'fail' : 'warn', 'disk', finding, {
    zh: '释放空间，例如删除旧日志：磁盘写满后网关会拒绝请求。每百万次请求约占用 1 GB',
    en: 'free space, for example by deleting old log entries: a gateway on a full disk rejects requests. A million requests take about 1 GB',
  })
}

function nearestFolder(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestFolder(dirname(path))
}

/** Whether only the account of the gateway can read the database and the secret key, and this account can. */
export function checkFiles(dataDir: string, uid = process.getuid?.()): CheckResult {
  const found = [dataDir, ...PRIVATE_FILES.map(name => join(dataDir, name))].flatMap(path => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats ? [{ path, stats }] : []
  })
  const foreign = found.find(({ stats }) => uid !== undefined && uid !== 0 && stats.uid !== uid)
  if (foreign)
    return checkProblem(
      'fail',
      'files',
      {
        zh: `${foreign.path} 属于其他账户`,
        en: `${foreign.path} belongs to another account`,
      },
      {
        zh: `以该账户运行，或执行 chown -R ${uid} ${dataDir}`,
        en: `run as that account, or chown -R ${uid} ${dataDir}`,
      },
    )
  const open = found.filter(
    ({ path, stats }) => (stats.mode & (path === dataDir ? OTHERS_WRITE_BITS : OTHERS_BITS)) !== 0,
  )
  if (open.length === 0)
    return ok('files', {
      zh: '只有网关账户能读取数据',
      en: 'only the account of the gateway can read its data',
    })
  const paths = open.map(({ path }) => path).join(' ')
  return checkProblem(
    'warn',
    'files',
    { zh: `其他账户可以访问 ${paths}`, en: `other accounts have access to ${paths}` },
    { zh: `执行 chmod go-rwx ${paths}`, en: `run chmod go-rwx ${paths}` },
  )
}
