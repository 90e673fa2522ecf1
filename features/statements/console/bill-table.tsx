import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { formatNumber, useMoney } from '#console/app/format/format.tsx'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { Select } from '#console/ui/forms/fields.tsx'
import type { GroupLine } from './bill-lines.ts'
import { type BillGrouping, tagKeysQuery } from './queries.ts'
import { BILL_GROUPS, StatementSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

const HEAD = 'py-2 pl-3 text-right font-medium'
const CELL = 'py-2 pl-3 text-right tabular'

/** What the lines are of, as a heading. */
export function useGroupTitle({ by, key }: BillGrouping): string {
  const t = useScreenText()
  return by === 'tag' ? t('tagOf', { key }) : t(by)
}

/** The name of a group, and of what belongs to none. */
export function useGroupName(by: BillGrouping['by']) {
  const t = useScreenText()
  const none = {
    model: t('otherCharges'),
    token: t('noToken'),
    member: t('noMember'),
    project: t('noProject'),
    tag: t('noTag'),
  }
  return ({ name, value }: { readonly name: string; readonly value: string }): string => {
    if (value === '' || value === '0') return none[by]
    return name || `#${value}`
  }
}

/** A tag is chosen by this and its key, other groups by their names. */
const TAG = 'tag:'

interface GroupChoiceProps {
  readonly hasMembers: boolean
}

/** Chooses what the lines of the bill are of. */
export function GroupChoice({ hasMembers }: GroupChoiceProps) {
  const t = useScreenText()
  const id = useId()
  const { by, key } = useSearchParams(StatementSearch)
  const set = useSetSearchParams(StatementSearch)
  const keys = useQuery(tagKeysQuery).data ?? []
  const groups = BILL_GROUPS.filter(
    name => name !== 'tag' && (hasMembers || (name !== 'member' && name !== 'project')),
  )
  const options = [
    ...groups.map((name): { value: string; label: string } => ({ value: name, label: t(name) })),
    ...keys.map(name => ({ value: `${TAG}${name}`, label: t('tagOf', { key: name }) })),
  ]
  const choose = (choice: string) => {
    const isTag = choice.startsWith(TAG)
    set({
      by: isTag ? 'tag' : StatementSearch.shape.by.parse(choice),
      key: isTag ? choice.slice(TAG.length) : '',
    })
  }
  return (
    <div className="mb-4 flex items-center gap-2 print:hidden">
      <label htmlFor={id} className="text-caption text-muted">
        {t('groupBy')}
      </label>
      <span className="w-44">
        <Select id={id} value={by === 'tag' ? `${TAG}${key}` : by} options={options} onChange={choose} />
      </span>
    </div>
  )
}

interface BillTableProps {
  readonly title: string
  /** What the balance paid. */
  readonly lines: readonly GroupLine[]
  /** What plans paid. */
  readonly covered: readonly GroupLine[]
  readonly total: number
}

export function BillTable({ title, lines, covered, total }: BillTableProps) {
  const t = useScreenText()
  const { exact } = useMoney()
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-small">
        <thead className="border-b border-line-strong text-caption text-muted">
          <tr>
            <th scope="col" className="py-2 text-left font-medium">
              {title}
            </th>
            {(['requests', 'inputTokens', 'outputTokens', 'amount'] as const).map(column => (
              <th key={column} scope="col" className={HEAD}>
                {t(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <LineRow key={line.id} line={line} />
          ))}
        </tbody>
        <tbody className="font-semibold">
          <tr>
            <th scope="row" colSpan={4} className="py-2 text-left">
              {t('total')}
            </th>
            <td className={CELL}>{exact(total)}</td>
          </tr>
        </tbody>
        {covered.length > 0 && (
          <tbody className="border-t border-line-strong text-muted">
            <tr>
              <th scope="rowgroup" colSpan={5} className="pt-6 pb-2 text-left font-normal">
                {t('covered')}
              </th>
            </tr>
            {covered.map(line => (
              <LineRow key={line.id} line={line} />
            ))}
          </tbody>
        )}
      </table>
    </div>
  )
}

function LineRow({
  line: { name, plan, requests, inputTokens, outputTokens, amount },
}: {
  readonly line: GroupLine
}) {
  const { exact, language } = useMoney()
  const number = (value: number) => formatNumber(value, language)
  return (
    <tr className="border-b border-line">
      <th scope="row" className="py-2 text-left font-normal [overflow-wrap:anywhere]">
        {plan === '' ? name : `${name} · ${plan}`}
      </th>
      <td className={CELL}>{number(requests)}</td>
      <td className={CELL}>{number(inputTokens)}</td>
      <td className={CELL}>{number(outputTokens)}</td>
      <td className={CELL}>{exact(amount)}</td>
    </tr>
  )
}
