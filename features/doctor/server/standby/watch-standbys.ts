import { everyMs } from '#server/core/clock.ts'
import type { BothLanguages } from '#server/core/language.ts'
import type { Job, Services } from '#server/feature.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'
import { type Replication, readReplication } from '../queries.ts'
import { describeReplication, leastLag } from './describe-replication.ts'

const CHECK_MS = 5000
/** A burst of writes or a short pause of the network is over by then. */
const LAG_SECONDS_MAX = 10

const standbyNotice = (finding: BothLanguages): UserNotification => ({
  type: 'standby_lag',
  values: [finding.en],
  subject: { zh: '数据库备库落后或已断开', en: 'The standby of the database lags or is gone' },
  text: finding,
})

interface WatchDeps extends Pick<Services, 'database' | 'log' | 'metrics'> {
  readonly rootNotifier: Pick<Services['rootNotifier'], 'notify'>
}

/**
 * Says at the start what a failover would lose, and again whenever that changes. A standby that lags or is gone is a figure
 * and a notice to the operator.
 */
export function watchStandbys({ database, log, metrics, rootNotifier }: WatchDeps): readonly Job[] {
  if (database.engine !== 'postgres') return []
  let known: Replication | undefined
  let connectedMost = 0
  const standbys = () => known?.standbys ?? []
  metrics.gauge('tollgate_database_standbys', 'Connected standbys of PostgreSQL.', () => standbys().length)
  metrics.gauge(
    'tollgate_database_standby_lag_seconds',
    'How far the standby is behind that is the least behind; a failover loses that much unless it is synchronous.',
    () => leastLag(standbys())?.seconds ?? 0,
  )
  const check = async (): Promise<void> => {
    try {
      const replication = await readReplication(database.db)
      const result = describeReplication(replication)
      if (!known || describeReplication(known).status !== result.status)
        log[result.status === 'ok' ? 'info' : 'warn']('the replication of the database', {
          finding: result.finding.en,
        })
      known = replication
      connectedMost = Math.max(connectedMost, replication.standbys.length)
      const isBehind = (leastLag(replication.standbys)?.seconds ?? 0) > LAG_SECONDS_MAX
      if (isBehind || replication.standbys.length < Math.min(connectedMost, 1))
        rootNotifier.notify(standbyNotice(result.finding))
    } catch {
      // The heartbeat reports a database that does not respond.
    }
  }
  return [
    () => {
      const first = check()
      const stop = everyMs(CHECK_MS, check)
      return () => Promise.all([first, stop()]).then(() => undefined)
    },
  ]
}
