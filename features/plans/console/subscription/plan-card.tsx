import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useMoney } from '#console/app/format/format.tsx'
import { hasScreen } from '#console/app/router/screens.ts'
import { selfQuery } from '#console/app/session/self.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Tag } from '#console/ui/data/badges.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { Plan } from '../../contract/plans.ts'
import type { Subscription } from '../../contract/subscriptions.ts'
import { usePlanChanges } from '../queries.ts'
import { usePlanWords } from '../words.ts'
import { useScreenText } from './text.ts'

interface PlanCardProps {
  readonly plan: Plan
  /** Whether the reader has a subscription of it. */
  readonly isOwn: boolean
  /** The subscription that may change to this plan. */
  readonly replaced: Subscription | undefined
}

/** A plan on offer: what it costs, what it allows, and the button that buys it. */
export function PlanCard({ plan, isOwn, replaced }: PlanCardProps) {
  const t = useScreenText()
  const words = usePlanWords()
  return (
    <article
      aria-label={plan.name}
      className="flex min-w-0 flex-col gap-3 rounded-card border border-line bg-surface p-4 sm:p-5"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 text-section font-semibold wrap-anywhere">{plan.name}</h3>
        {plan.trial_days > 0 && <Tag>{t('trialDays', { count: plan.trial_days })}</Tag>}
      </div>
      <p className="flex items-baseline gap-1.5">
        <span className="text-number font-semibold tabular">{words.price(plan)}</span>
        <span className="text-muted">{words.perPeriod(plan)}</span>
      </p>
      {plan.description && <p className="text-muted wrap-anywhere">{plan.description}</p>}
      <PlanFacts plan={plan} />
      <div className="mt-auto grid gap-2 pt-2">
        {isOwn ? (
          <Button disabled icon={Check}>
            {t('subscribed')}
          </Button>
        ) : (
          <BuyButtons plan={plan} replaced={replaced} />
        )}
      </div>
    </article>
  )
}

function PlanFacts({ plan }: Pick<PlanCardProps, 'plan'>) {
  const t = useScreenText()
  const words = usePlanWords()
  const facts = [
    ...plan.windows.map(words.allowance),
    plan.models.length > 0 ? t('models', { names: words.names(plan.models) }) : t('allModels'),
    ...(plan.groups.length > 0 ? [t('groups', { names: words.names(plan.groups) })] : []),
    ...(plan.renews ? [] : [t('noRenewal')]),
    ...(plan.carry_over_percent > 0 ? [t('carryOver', { percent: plan.carry_over_percent })] : []),
    t(`after_${plan.when_used_up}`),
  ]
  return (
    <ul className="grid gap-1.5 text-small">
      {facts.map(fact => (
        <li key={fact} className="flex gap-2">
          <Check size={15} aria-hidden className="mt-0.5 shrink-0 text-accent" />
          <span className="min-w-0 wrap-anywhere">{fact}</span>
        </li>
      ))}
    </ul>
  )
}

function BuyButtons({ plan, replaced }: Pick<PlanCardProps, 'plan' | 'replaced'>) {
  const t = useScreenText()
  const words = usePlanWords()
  const { money } = useMoney()
  const { buy, change, order } = usePlanChanges()
  const navigate = useNavigate()
  const { data: self } = useQuery(selfQuery)
  const missing = plan.trial_days > 0 || !self ? 0 : plan.price - self.quota
  const { name, trial_days: count } = plan
  const askToBuy = async () => {
    const values = { count, price: money(plan.price), period: words.period(plan) }
    const paid = t(count > 0 ? 'buyTrial' : 'buyText', values)
    const question = {
      title: t('buyTitle', { plan: name }),
      text: `${paid} ${t(plan.renews ? 'renewsText' : 'endsText')}`,
      action: t('subscribe'),
    }
    if (await confirm(question))
      buy.mutate(plan.id, { onSuccess: () => toast('success', t('bought', { plan: name })) })
  }
  const askToOrder = async () => {
    const question = {
      title: t('orderTitle', { plan: name }),
      text: t('orderText', { price: money(plan.price), missing: money(missing) }),
      action: t('orderAction'),
    }
    if (await confirm(question)) order.mutate(plan.id, { onSuccess: () => void navigate({ to: '/topup' }) })
  }
  const askToChange = async ({ id }: Subscription) => {
    const question = { title: t('changeTitle', { plan: name }), text: t('changeText'), action: t('change') }
    if (!(await confirm(question))) return
    change.mutate(
      { id, planId: plan.id },
      {
        onSuccess: changed =>
          toast('success', t(changed.next_plan === '' ? 'changedNow' : 'changedLater', { plan: name })),
      },
    )
  }
  return (
    <>
      {replaced?.renews && replaced.is_covering && replaced.state !== 'cancelled' && (
        <Button variant="primary" isBusy={change.isPending} onClick={() => void askToChange(replaced)}>
          {t('change')}
        </Button>
      )}
      <Button
        variant={replaced ? 'default' : 'primary'}
        isBusy={buy.isPending || order.isPending}
        onClick={() => void (missing > 0 && hasScreen('/topup') ? askToOrder() : askToBuy())}
      >
        {t('subscribe')}
      </Button>
    </>
  )
}
