import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatNumber, TimeText, useMoney } from '#console/app/format/format.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Tag } from '#console/ui/data/badges.tsx'
import { Meter, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { User } from '#contract/entities/user.ts'
import { BUDGETS_MAX, type Budget, findMonthlyCap } from '../contract.ts'
import { budgetsQuery, type ShownSubject, useBudgetChanges } from './queries.ts'
import { useBudgetText } from './text.ts'

const budgetDialog = lazyPart(async () => (await import('./dialog.tsx')).BudgetDialog)

/** The budgets of a token, in its sheet. */
export const TokenBudgets = ({ id }: { readonly id: number }) => (
  <Budgets subject={{ subject: 'token', subject_id: id }} />
)

/** The budgets of a user, in the sheet that administrators open, or of an organisation, on its page. */
export const UserBudgets = ({ id }: { readonly id: number }) => (
  <Budgets subject={{ subject: 'user', subject_id: id }} />
)

/** The budgets of a member of an organisation beside the monthly cap, which is a field of the sheet. */
export const MemberBudgets = ({ id }: { readonly id: number }) => (
  <Budgets subject={{ subject: 'member', subject_id: id }} isBesideCap />
)

/** The budgets of a project beside its monthly cap. */
export const ProjectBudgets = ({ id }: { readonly id: number }) => (
  <Budgets subject={{ subject: 'project', subject_id: id }} isBesideCap />
)

/** The budgets that administrators have set for the reader, who cannot change them. */
export const AccountBudgets = ({ self }: { readonly self: User }) => (
  <Budgets subject={{ subject: 'user', subject_id: self.id }} isReadOnly />
)

interface BudgetsProps {
  readonly subject: ShownSubject
  readonly isReadOnly?: boolean
  readonly isBesideCap?: boolean
}

function Budgets({ subject, isReadOnly = false, isBesideCap = false }: BudgetsProps) {
  const t = useBudgetText()
  const { data, error, isFetching, refetch } = useQuery(budgetsQuery(subject))
  const [open, setOpen] = useState<Budget | 'new'>()
  if (error && !data) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-16 w-full" />
  const cap = isBesideCap ? findMonthlyCap(data) : undefined
  const listed = data.filter(budget => budget !== cap)
  const empty = isBesideCap ? 'emptyBesideCap' : 'empty'
  return (
    <>
      {listed.length === 0 ? (
        <p className="text-small text-muted">{t(isReadOnly ? 'emptyOwn' : empty)}</p>
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface">
          {listed.map(budget => (
            <BudgetItem
              key={budget.id}
              budget={budget}
              isReadOnly={isReadOnly}
              onEdit={() => setOpen(budget)}
            />
          ))}
        </ul>
      )}
      {!isReadOnly && data.length < BUDGETS_MAX && (
        <Button
          size="small"
          icon={Plus}
          className="justify-self-start"
          onPointerEnter={budgetDialog.preload}
          onFocus={budgetDialog.preload}
          onClick={() => setOpen('new')}
        >
          {t('add')}
        </Button>
      )}
      <Suspense fallback={null}>
        {open && (
          <budgetDialog.Part
            subject={subject}
            budget={open === 'new' ? undefined : open}
            onClose={() => setOpen(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

interface BudgetItemProps {
  readonly budget: Budget
  readonly isReadOnly: boolean
  readonly onEdit: () => void
}

function BudgetItem({ budget, isReadOnly, onEdit }: BudgetItemProps) {
  const t = useBudgetText()
  const title = useBudgetTitle()(budget)
  const format = useAmountFormat()
  const { remove } = useBudgetChanges()
  const isAdmin = hasRole(useUser(), 'admin')
  const mayChange = !isReadOnly && (isAdmin || !budget.is_managed)
  const { amount, used, held, saved, resets_time } = budget
  const { money } = useMoney()
  const usage = t('usage', { used: format(budget, used), amount: format(budget, amount) })
  const askToRemove = async () => {
    const question = { title: t('removeTitle', { name: title }), text: t('removeText'), action: t('remove') }
    if (await confirm({ ...question, isDanger: true }))
      remove.mutate(budget.id, { onSuccess: () => toast('success', t('removed')) })
  }
  return (
    <li className="grid gap-1.5 px-3 py-2.5">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium wrap-anywhere">{title}</span>
        <BudgetTags budget={budget} />
        {mayChange && (
          <span className="ml-auto flex gap-1">
            <IconButton size="small" icon={Pencil} label={t('editNamed', { name: title })} onClick={onEdit} />
            <IconButton
              size="small"
              icon={Trash2}
              label={t('removeNamed', { name: title })}
              isBusy={remove.isPending}
              onClick={() => void askToRemove()}
            />
          </span>
        )}
      </div>
      <Meter label={title} share={amount === 0 ? 1 : used / amount} text={usage} />
      <div className="flex flex-wrap justify-between gap-x-4 text-small text-muted tabular">
        <span>
          {usage}
          {held > 0 && ` · ${t('held', { held: format(budget, held) })}`}
          {saved !== 0 && ` · ${t('savedByBends', { saved: money(saved) })}`}
        </span>
        {resets_time > 0 && (
          <span>
            {t(budget.period === 'rolling' ? 'releases' : 'resets')} <TimeText unixSeconds={resets_time} />
          </span>
        )}
      </div>
    </li>
  )
}

function BudgetTags({
  budget: { is_enabled, is_hard, is_managed, model, group, bend_percent, bend_from, ...rule },
}: Pick<BudgetItemProps, 'budget'>) {
  const t = useBudgetText()
  const { bend_to, bend_effort } = rule
  const effort = bend_effort && t('lowered', { effort: t(`effort_${bend_effort}`) })
  const to = [bend_to, effort].filter(Boolean).join(' · ')
  return (
    <>
      {model !== '' && <Tag isMono>{model}</Tag>}
      {group !== '' && <Tag>{t('inGroup', { group })}</Tag>}
      {bend_percent > 0 && (
        <Tag>{t('bends', { percent: String(bend_percent), from: bend_from || t('anyModel'), to })}</Tag>
      )}
      {!is_enabled && <Tag>{t('off')}</Tag>}
      {!is_hard && <Tag>{t('soft')}</Tag>}
      {is_managed && <Tag>{t('managed')}</Tag>}
    </>
  )
}

/** Returns a function that names a budget: its own name, or its period. */
function useBudgetTitle() {
  const t = useBudgetText()
  return ({ name, period, hours }: Pick<Budget, 'name' | 'period' | 'hours'>): string =>
    name !== '' ? name : t(`of_${period}`, { count: hours })
}

/** Returns a function that writes an amount of a budget in its unit. */
function useAmountFormat() {
  const t = useBudgetText()
  const { money, language } = useMoney()
  return ({ unit }: Pick<Budget, 'unit'>, amount: number): string => {
    if (unit === 'quota') return money(amount)
    return t(`count_${unit}`, { count: formatNumber(amount, language) })
  }
}
