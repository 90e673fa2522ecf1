import { useQuery } from '@tanstack/react-query'
import { TimeText, useMoney } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner, Meter, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { Budget } from '#features/budgets/contract.ts'
import type { PlanWindow } from '../../contract/plans.ts'
import type { Subscription } from '../../contract/subscriptions.ts'
import { type Step, usePlanChanges, windowsQuery } from '../queries.ts'
import { StateBadge } from '../state-badge.tsx'
import { usePlanWords } from '../words.ts'
import { useScreenText } from './text.ts'

interface SubscriptionProps {
  readonly subscription: Subscription
}

/** A subscription of the reader: what is used of its windows, when it renews, and what can be done. */
export function SubscriptionCard({ subscription }: SubscriptionProps) {
  return (
    <article
      aria-label={subscription.plan}
      className="grid min-w-0 gap-4 rounded-card border border-line bg-surface p-4 sm:p-5"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 text-section font-semibold wrap-anywhere">{subscription.plan}</h3>
        <StateBadge state={subscription.state} />
      </div>
      <Windows id={subscription.id} />
      <NextLine subscription={subscription} />
      <Actions subscription={subscription} />
    </article>
  )
}

function Windows({ id }: Pick<Subscription, 'id'>) {
  const { data } = useQuery(windowsQuery(id))
  if (!data) return <Skeleton className="h-12 w-full" />
  return (
    <ul className="grid gap-3">
      {data.map(window => (
        <WindowItem key={window.id} window={window} />
      ))}
    </ul>
  )
}

const PERIODS = { rolling: 'rolling', day: 'day', week: 'week', month: 'month' } as const

/** The budget of a term has no period of its own. */
const periodOf = ({ period }: Budget): PlanWindow['period'] =>
  period in PERIODS ? PERIODS[period as keyof typeof PERIODS] : 'term'

function WindowItem({ window }: { readonly window: Budget }) {
  const t = useScreenText()
  const words = usePlanWords()
  const { unit, amount, used, held, hours, resets_time: resetsAt } = window
  const shown = { period: periodOf(window), hours, unit, amount }
  const name = words.windowName(shown)
  const usage = t('usage', { used: words.amount(unit, used + held), amount: words.amount(unit, amount) })
  return (
    <li className="grid gap-1.5">
      <div className="flex flex-wrap justify-between gap-x-4 text-small tabular">
        <span className="font-medium">{words.allowance(shown)}</span>
        <span className="text-muted">{usage}</span>
      </div>
      <Meter label={name} share={(used + held) / amount} text={usage} />
      {resetsAt > 0 && (
        <span className="text-small text-muted">
          {t(window.period === 'rolling' ? 'releases' : 'resets')} <TimeText unixSeconds={resetsAt} />
        </span>
      )}
    </li>
  )
}

function NextLine({ subscription }: SubscriptionProps) {
  const t = useScreenText()
  const { money } = useMoney()
  const {
    state,
    renews,
    next_time: next,
    next_price: nextPrice,
    next_plan: nextPlan,
    days_left,
  } = subscription
  if (state === 'past_due')
    return (
      <Banner tone="danger">
        {t('pastDueText', { price: money(nextPrice) })}{' '}
        <ScreenLink screen="/topup">{t('toWallet')}</ScreenLink>
      </Banner>
    )
  if (state === 'paused')
    return <p className="text-small text-muted">{t('pausedDays', { count: days_left })}</p>
  const isRenewing = renews && state !== 'cancelled'
  return (
    <p className="text-small text-muted">
      {isRenewing ? t('renewsOn', { price: money(nextPrice) }) : t('endsOn')} <TimeText unixSeconds={next} />
      {nextPlan && ` · ${t('nextPlan', { plan: nextPlan })}`}
    </p>
  )
}

/** What each state allows, the likely one first. */
const STEPS: Readonly<Record<Subscription['state'], readonly Step[]>> = {
  trial: ['cancel'],
  active: ['pause', 'cancel'],
  past_due: ['pay', 'cancel'],
  paused: ['resume', 'cancel'],
  cancelled: ['keep'],
  ended: [],
}

function Actions({ subscription: { id, plan, state, renews } }: SubscriptionProps) {
  const t = useScreenText()
  const { steer } = usePlanChanges()
  const steps = STEPS[state].filter(step => step !== 'keep' || renews)
  const go = async (step: Step) => {
    const needsQuestion = step === 'cancel' || step === 'pause'
    const question = needsQuestion && {
      title: t(`${step}Title`, { plan }),
      text: t(`${step}Text`),
      action: t(step),
      isDanger: step === 'cancel',
    }
    if (!question || (await confirm(question)))
      steer.mutate({ id, step }, { onSuccess: () => toast('success', t('done')) })
  }
  if (steps.length === 0) return null
  return (
    <div className="flex flex-wrap gap-2">
      {steps.map(step => (
        <Button
          key={step}
          size="small"
          variant={step === 'pay' || step === 'resume' || step === 'keep' ? 'primary' : 'default'}
          isBusy={steer.isPending && steer.variables.step === step}
          onClick={() => void go(step)}
        >
          {t(step)}
        </Button>
      ))}
    </div>
  )
}
