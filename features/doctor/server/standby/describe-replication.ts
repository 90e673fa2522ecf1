import type { BothLanguages } from '#server/core/language.ts'
import { type CheckResult, checkProblem, ok } from '../check-result.ts'
import type { Replication, Standby } from '../queries.ts'

const BYTES_PER_KIB = 1024
/** Of `synchronous_commit`: the standby has a commit before the client hears of it. */
const WAITING_COMMITS = ['on', 'remote_write', 'remote_apply']

const SYNCHRONOUS_REMEDY: BothLanguages = {
  zh: "在主库上设置 synchronous_standby_names = '*'（最好有两个备库），并保持 synchronous_commit = on",
  en: "set synchronous_standby_names = '*' on the primary, best with two standbys, and leave synchronous_commit at on",
}

/** States in one sentence what a failover of the server would lose. */
export function describeReplication(replication: Replication): CheckResult {
  const { isFsynced, synchronousCommit, synchronousNames, standbys } = replication
  if (!isFsynced)
    return checkProblem(
      'fail',
      'standby',
      {
        zh: 'fsync 已关闭：断电可能损坏整个数据库',
        en: 'fsync is off: a loss of power may destroy the whole database',
      },
      { zh: '设置 fsync = on', en: 'set fsync = on' },
    )
  if (synchronousCommit === 'off')
    return checkProblem(
      'warn',
      'standby',
      {
        zh: 'synchronous_commit 为 off：服务器崩溃或故障切换会丢失最后不到一秒的扣费',
        en: 'synchronous_commit is off: a crash of the server and a failover lose the charges of the last moments',
      },
      { zh: '设置 synchronous_commit = on', en: 'set synchronous_commit = on' },
    )
  if (standbys.length === 0) return describeNoStandby(synchronousNames)
  const synchronous = standbys.filter(({ isSynchronous }) => isSynchronous)
  if (synchronous.length > 0 && WAITING_COMMITS.includes(synchronousCommit))
    return ok('standby', {
      zh: `同步备库 ${namesOf(synchronous)}：切换到它不会丢失任何扣费`,
      en: `a failover to ${namesOf(synchronous)}, which is synchronous, loses no charge`,
    })
  return checkProblem('warn', 'standby', describeAsynchronous(standbys), SYNCHRONOUS_REMEDY)
}

const namesOf = (standbys: readonly Standby[]): string => standbys.map(({ name }) => name).join(', ')

const describeNoStandby = (synchronousNames: string): CheckResult =>
  synchronousNames === ''
    ? ok('standby', {
        zh: '没有已连接的备库：如果服务器丢失，只能恢复备份，除非云平台在存储层复制',
        en: 'no standby is connected: if the server is lost, a backup is what remains, unless its service replicates the storage',
      })
    : checkProblem(
        'fail',
        'standby',
        {
          zh: `synchronous_standby_names 为 ${synchronousNames}，但没有备库连接：每次提交都在等待`,
          en: `synchronous_standby_names is ${synchronousNames}, but no standby is connected: every commit waits for one`,
        },
        { zh: '启动备库', en: 'start the standby' },
      )

function describeAsynchronous(standbys: readonly Standby[]): BothLanguages {
  const names = namesOf(standbys)
  const lag = leastLag(standbys)
  if (!lag)
    return {
      zh: `备库 ${names} 不是同步备库：故障切换会丢失其尚未收到的扣费；该账户无权查看延迟（需要 pg_monitor）`,
      en: `a failover to ${names} loses the charges that it has not received; the account may not see how many (grant it pg_monitor)`,
    }
  const [seconds, kib] = [lag.seconds.toFixed(1), Math.ceil(lag.bytes / BYTES_PER_KIB)]
  return {
    zh: `备库 ${names} 不是同步备库：故障切换会丢失其尚未收到的扣费，目前落后 ${seconds} 秒（${kib} KiB）`,
    en: `a failover to ${names} loses the charges that it has not received, at the moment ${seconds} s (${kib} KiB)`,
  }
}

/** The lag of the standby that is the least behind: a failover promotes that one. */
export const leastLag = (standbys: readonly Standby[]): Standby['lag'] =>
  standbys
    .flatMap(({ lag }) => lag ?? [])
    .sort((a, b) => a.bytes - b.bytes)
    .at(0)
