import { useQuery } from '@tanstack/react-query'
import { Package, Pencil, Plus, Ticket, Trash2 } from 'lucide-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Tag } from '#console/ui/data/badges.tsx'
import type { Column } from '#console/ui/data/table/column.ts'
import { DataTable } from '#console/ui/data/table/data-table.tsx'
import { EmptyList } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import type { SoldPlan } from '../../contract/plans.ts'
import { plansQuery, usePlanChanges } from '../queries.ts'
import { usePlanWords } from '../words.ts'
import { Revenue } from './revenue.tsx'
import { NEW, SalesSearch } from './search-params.ts'
import { Subscribers } from './subscribers.tsx'
import { useScreenText } from './text.ts'

const codesDialog = lazyPart(async () => (await import('./codes-dialog.tsx')).CodesDialog)
const planSheet = lazyPart(async () => (await import('./plan-sheet.tsx')).PlanSheet)

/** What the seller sees: what plans bring, the plans, and who has them. */
export function SalesPage() {
  const t = useScreenText()
  const search = useSearchParams(SalesSearch)
  const set = useSetSearchParams(SalesSearch)
  const plans = useQuery(plansQuery)
  const open = useCallback((edit: string) => set({ edit }, { push: true }), [set])
  const edited = plans.data?.find(({ id }) => String(id) === search.edit)
  return (
    <>
      <PageHeader title={t('sales')}>
        <Button
          variant="primary"
          icon={Plus}
          onPointerEnter={planSheet.preload}
          onFocus={planSheet.preload}
          onClick={() => open(NEW)}
        >
          {t('add')}
        </Button>
      </PageHeader>
      <div className="grid grid-cols-1 gap-8">
        <Revenue />
        <section aria-label={t('plans')} className="grid grid-cols-1 gap-3">
          <h2 className="text-section font-semibold">{t('plans')}</h2>
          {plans.error && !plans.data ? (
            <LoadError error={plans.error} onRetry={() => void plans.refetch()} />
          ) : (
            <PlansTable rows={plans.data} onOpen={open} />
          )}
        </section>
        <Subscribers state={search.state} onState={state => set({ state })} />
      </div>
      <Suspense fallback={null}>
        {(search.edit === NEW || edited) && (
          <planSheet.Part
            key={search.edit}
            plan={edited}
            onClose={leavesForm => set({ edit: '' }, leavesForm ? { leavesForm } : {})}
          />
        )}
      </Suspense>
    </>
  )
}

interface PlansTableProps {
  readonly rows: readonly SoldPlan[] | undefined
  readonly onOpen: (edit: string) => void
}

function PlansTable({ rows, onOpen }: PlansTableProps) {
  const t = useScreenText()
  const columns = usePlanColumns()
  const { remove } = usePlanChanges()
  const [codedId, setCoded] = useState<number>()
  const coded = rows?.find(({ id }) => id === codedId)
  const open = useCallback((plan: SoldPlan) => onOpen(String(plan.id)), [onOpen])
  const askToRemove = async ({ id, name }: SoldPlan) => {
    const question = { title: t('removeTitle', { plan: name }), text: t('removeText'), action: t('remove') }
    if (await confirm({ ...question, isDanger: true }))
      remove.mutate(id, { onSuccess: () => toast('success', t('removed')) })
  }
  return (
    <>
      <DataTable
        label={t('plans')}
        columns={columns}
        rows={rows}
        rowId={plan => String(plan.id)}
        rowName={plan => plan.name}
        card={{
          title: plan => plan.name,
          status: plan => <OfferTag plan={plan} />,
          facts: plan => columns.slice(1).map(({ header, cell }) => ({ label: header, value: cell(plan) })),
        }}
        actions={plan => (
          <>
            <IconButton
              size="small"
              icon={Ticket}
              label={t('codesOfNamed', { plan: plan.name })}
              onClick={() => setCoded(plan.id)}
            />
            <IconButton
              size="small"
              icon={Pencil}
              label={t('editNamed', { plan: plan.name })}
              onClick={() => open(plan)}
            />
            <IconButton
              size="small"
              icon={Trash2}
              className="text-danger"
              label={t('removeNamed', { plan: plan.name })}
              onClick={() => void askToRemove(plan)}
            />
          </>
        )}
        onOpen={open}
        empty={
          <EmptyList
            icon={Package}
            title={t('empty')}
            text={t('emptyText')}
            add={t('add')}
            onAdd={() => onOpen(NEW)}
          />
        }
      />
      <Suspense fallback={null}>
        {coded && <codesDialog.Part plan={coded} onClose={() => setCoded(undefined)} />}
      </Suspense>
    </>
  )
}

const OfferTag = ({ plan }: { readonly plan: SoldPlan }) => {
  const t = useScreenText()
  return plan.is_offered ? null : <Tag>{t('notOffered')}</Tag>
}

function usePlanColumns(): ReadonlyArray<Column<SoldPlan>> {
  const t = useScreenText()
  const words = usePlanWords()
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('name'),
        isFixed: true,
        cell: plan => (
          <span className="flex items-center gap-2">
            <span className="font-medium">{plan.name}</span>
            <OfferTag plan={plan} />
          </span>
        ),
      },
      {
        id: 'price',
        header: t('price'),
        cell: plan => `${words.price(plan)} ${words.perPeriod(plan)}`,
      },
      {
        id: 'windows',
        header: t('windows'),
        cell: plan => plan.windows.map(words.allowance).join(' · '),
      },
      { id: 'whenUsedUp', header: t('whenUsedUp'), cell: plan => t(`choice_${plan.when_used_up}`) },
      { id: 'subscribers', header: t('subscribers'), align: 'end', cell: plan => plan.subscribers },
    ],
    [t, words],
  )
}
