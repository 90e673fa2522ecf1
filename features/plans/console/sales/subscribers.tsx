import { useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import { MoneyText, TimeText, useMoney } from '#console/app/format/format.tsx'
import { ListSection, usePages } from '#console/app/list/list-section.tsx'
import { UserLink } from '#console/app/list/record-link.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { type Column, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { Select } from '#console/ui/forms/fields.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { SUBSCRIPTION_STATES } from '../../contract/subscription-states.ts'
import type { Subscription } from '../../contract/subscriptions.ts'
import { subscriptionsQuery, usePlanChanges } from '../queries.ts'
import { StateBadge } from '../state-badge.tsx'
import { usePlanText } from '../text.ts'
import { useScreenText } from './text.ts'

type State = Subscription['state'] | ''

interface SubscribersProps {
  readonly state: State
  readonly onState: (state: State) => void
}

/** Who has which plan, since when, and what they have paid. */
export function Subscribers({ state, onState }: SubscribersProps) {
  const t = useScreenText()
  const pages = usePages()
  const query = useQuery(subscriptionsQuery(state, pages.page, pages.size))
  const columns = useSubscriberColumns()
  return (
    <ListSection
      label={t('subscribers')}
      heading={
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-section font-semibold">{t('subscribers')}</h2>
          <StateSelect
            state={state}
            onState={picked => {
              pages.setPage(1)
              onState(picked)
            }}
          />
        </div>
      }
      pages={pages}
      query={query}
      columns={columns}
      rowId={subscription => String(subscription.id)}
      rowName={({ username, plan }) => `${username} ${plan}`}
      card={{
        title: subscription => <UserName subscription={subscription} />,
        subtitle: ({ plan }) => plan,
        status: ({ state: found }) => <StateBadge state={found} />,
        facts: subscription =>
          columns.slice(3).map(({ header, cell }) => ({ label: header, value: cell(subscription) })),
      }}
      actions={subscription => <EndButton subscription={subscription} />}
      empty={<p className="py-6 text-center text-muted">{t('noSubscribers')}</p>}
    />
  )
}

function StateSelect({ state, onState }: SubscribersProps) {
  const t = useScreenText()
  const p = usePlanText()
  const id = useId()
  return (
    <span className="flex items-center gap-2">
      <label htmlFor={id} className="text-small text-muted">
        {t('stateFilter')}
      </label>
      <Select
        id={id}
        isSmall
        value={state}
        options={[
          { value: '', label: t('allStates') },
          ...SUBSCRIPTION_STATES.map(value => ({ value, label: p(`state_${value}`) })),
        ]}
        onChange={onState}
      />
    </span>
  )
}

interface SubscriptionProps {
  readonly subscription: Subscription
}

const UserName = ({ subscription: { user_id, username } }: SubscriptionProps) => (
  <UserLink id={user_id} className="text-accent">
    {username || `#${user_id}`}
  </UserLink>
)

function EndButton({ subscription: { id, state, plan, username: user, owed } }: SubscriptionProps) {
  const t = useScreenText()
  const { money } = useMoney()
  const { end } = usePlanChanges()
  if (state === 'ended') return null
  const ask = async () => {
    const question = {
      title: t('endTitle', { plan, user }),
      text: t('endText', { amount: money(owed) }),
      action: t('endNow'),
    }
    if (await confirm({ ...question, isDanger: true }))
      end.mutate(id, { onSuccess: () => toast('success', t('ended')) })
  }
  return (
    <Button
      size="small"
      variant="danger-text"
      aria-label={t('endNamed', { plan, user })}
      isBusy={end.isPending}
      onClick={() => void ask()}
    >
      {t('endNow')}
    </Button>
  )
}

function useSubscriberColumns(): ReadonlyArray<Column<Subscription>> {
  const t = useScreenText()
  return useMemo(
    () => [
      {
        id: 'user',
        header: t('user'),
        isFixed: true,
        cell: subscription => <UserName subscription={subscription} />,
      },
      { id: 'plan', header: t('plan'), cell: ({ plan }) => plan },
      {
        id: 'state',
        header: t('stateColumn'),
        width: STATUS_WIDTH,
        cell: ({ state }) => <StateBadge state={state} />,
      },
      {
        id: 'next',
        header: t('next'),
        cell: ({ next_time: next }) => (next > 0 ? <TimeText unixSeconds={next} /> : '-'),
      },
      { id: 'paid', header: t('paid'), align: 'end', cell: ({ paid }) => <MoneyText quota={paid} /> },
      { id: 'owed', header: t('owedColumn'), align: 'end', cell: ({ owed }) => <MoneyText quota={owed} /> },
      { id: 'since', header: t('since'), cell: row => <TimeText unixSeconds={row.created_time} /> },
    ],
    [t],
  )
}
