import type { LogDetail } from '#contract/logs/logs.ts'
import { classes } from '../../../ui/class-names.ts'
import { StatusBadge } from '../../../ui/data/badges.tsx'
import { useText } from '../../../ui/text/text.ts'
import { formatSeconds } from '../detail.ts'
import { text } from '../text.ts'
import { NOT_SENT } from './standing.ts'
import { toWaterfall } from './waterfall.ts'

/** Every channel that was tried, in order, with what it answered and how long it took. */
export function RoutingSection({ detail }: { readonly detail: LogDetail }) {
  const t = useText(text)
  const steps = toWaterfall(detail.attempts ?? [], detail.use_ms ?? 0)
  return (
    <ol className="grid gap-3">
      {steps.map(step => (
        <li key={step.number} className="grid gap-1 text-small">
          <div className="flex items-center gap-2">
            <span className="min-w-0 flex-1 font-medium [overflow-wrap:anywhere]">
              {step.channel
                ? `${step.channel.name} #${step.channel.id}`
                : t('attempt', { number: step.number })}
            </span>
            <StatusBadge tone={step.isGood ? 'success' : 'danger'} mark={step.isGood ? 'filled' : 'cross'}>
              {step.status === NOT_SENT ? t('passedOver') : String(step.status)}
            </StatusBadge>
            <span className="w-16 shrink-0 text-right text-muted tabular">
              {t('seconds', { seconds: formatSeconds(step.ms) })}
            </span>
          </div>
          <div aria-hidden className="h-2 rounded-full bg-neutral-bg">
            <span
              className={classes(
                'block h-full min-w-1 rounded-full',
                step.isGood ? 'bg-success' : 'bg-danger-solid',
              )}
              style={{ marginLeft: `${step.startShare * 100}%`, width: `${step.share * 100}%` }}
            />
          </div>
          {step.code && <p className="font-mono text-caption text-muted">{step.code}</p>}
        </li>
      ))}
    </ol>
  )
}
