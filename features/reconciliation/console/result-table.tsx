import type { ReactNode } from 'react'
import { formatNumber } from '#console/app/format/format.tsx'
import { classes } from '#console/ui/class-names.ts'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { Reconciliation } from '../contract.ts'
import { Amount, formatPercent } from './amounts.tsx'
import { useReconciliationText } from './text.ts'

type Figures = Reconciliation['total']
type ModelRow = Reconciliation['models'][number]

const CELL = 'px-3 py-1.5 whitespace-nowrap'
const NUMBER = `${CELL} text-right tabular`

interface ResultTableProps {
  readonly reconciliation: Reconciliation
  readonly by: 'model' | 'day'
}

/** Both sides of each model or day. What differs much is marked. */
export function ResultTable({ reconciliation: { total, models, days }, by }: ResultTableProps) {
  const t = useReconciliationText()
  const shown: Columns = {
    hasRequests: total.billed_requests !== null,
    hasTokens: by === 'model' && models.some(({ billed_tokens }) => billed_tokens !== null),
  }
  const heads = [
    t('billed'),
    t('computed'),
    t('difference'),
    t('percent'),
    t('requests'),
    ...(shown.hasRequests ? [t('billedRequests')] : []),
    t('unknownCost'),
    ...(shown.hasTokens ? [t('tokens'), t('billedTokens')] : []),
  ]
  return (
    <section
      aria-label={t(by === 'model' ? 'byModel' : 'byDay')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable with the keyboard
      tabIndex={0}
      className="min-w-0 overflow-x-auto rounded-card border border-line bg-surface"
    >
      <table className="w-full text-small">
        <thead className="bg-sunken text-caption text-muted">
          <tr>
            <th scope="col" className={classes(CELL, 'text-left font-medium')}>
              {t(by)}
            </th>
            {heads.map(head => (
              <th key={head} scope="col" className={classes(NUMBER, 'font-medium')}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {by === 'model'
            ? models.map(row => (
                <FigureRow key={row.model} figures={row} tokens={row} shown={shown}>
                  <ModelName row={row} />
                </FigureRow>
              ))
            : days.map(row => (
                <FigureRow key={row.date} figures={row} shown={shown}>
                  {row.date}
                </FigureRow>
              ))}
        </tbody>
        <tfoot className="border-t border-line-strong font-medium">
          <FigureRow figures={total} shown={shown} isTotal>
            {t('total')}
          </FigureRow>
        </tfoot>
      </table>
    </section>
  )
}

interface Columns {
  readonly hasRequests: boolean
  readonly hasTokens: boolean
}

interface FigureRowProps {
  readonly figures: Figures
  readonly tokens?: Pick<ModelRow, 'tokens' | 'billed_tokens'>
  readonly shown: Columns
  readonly isTotal?: boolean
  readonly children: ReactNode
}

function FigureRow({ figures, tokens, shown, isTotal = false, children }: FigureRowProps) {
  const t = useReconciliationText()
  const language = useLanguage()
  const count = (value: number | null | undefined) => (value == null ? '–' : formatNumber(value, language))
  return (
    <tr className="border-t border-line hover:bg-hover">
      <th scope="row" className={classes(CELL, 'text-left', isTotal ? 'font-medium' : 'font-normal')}>
        <span className="flex items-center gap-2">
          {children}
          {figures.is_marked && (
            <StatusBadge tone="warning" mark="triangle" reason={t('isOffHelp')}>
              {t('isOff')}
            </StatusBadge>
          )}
        </span>
      </th>
      <td className={NUMBER}>
        <Amount nanos={figures.billed_nanos} />
      </td>
      <td className={NUMBER}>
        <Amount nanos={figures.computed_nanos} />
      </td>
      <td className={NUMBER}>
        <Amount nanos={figures.difference_nanos} isSigned />
      </td>
      <td className={NUMBER}>{formatPercent(figures.difference_percent)}</td>
      <td className={NUMBER}>{count(figures.requests)}</td>
      {shown.hasRequests && <td className={NUMBER}>{count(figures.billed_requests)}</td>}
      <td className={NUMBER}>{count(figures.unknown_cost_requests)}</td>
      {shown.hasTokens && (
        <>
          <td className={NUMBER}>{count(tokens?.tokens)}</td>
          <td className={NUMBER}>{count(tokens?.billed_tokens)}</td>
        </>
      )}
    </tr>
  )
}

/** The model, and under which names it was requested and billed. */
function ModelName({ row: { model, requested_as, items } }: { readonly row: ModelRow }) {
  const t = useReconciliationText()
  const notes = [
    ...(requested_as.length > 0 ? [t('requestedAs', { names: requested_as.join(', ') })] : []),
    ...(items.some(item => item !== model) ? [t('items', { names: items.join('; ') })] : []),
  ]
  const name = model === '' ? t('other') : model
  if (notes.length === 0) return <span className="block max-w-80 truncate">{name}</span>
  return (
    <details className="max-w-80 min-w-0">
      <summary className="cursor-pointer truncate">{name}</summary>
      {notes.map(note => (
        <p key={note} className="text-caption whitespace-normal text-muted [overflow-wrap:anywhere]">
          {note}
        </p>
      ))}
    </details>
  )
}
