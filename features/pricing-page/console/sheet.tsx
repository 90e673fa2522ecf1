import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { formatNumber, formatPrice } from '#console/app/format/format.tsx'
import { hasScreen } from '#console/app/router/screens.ts'
import { firstCallSnippets } from '#console/app/snippets/first-call.ts'
import { modelKind } from '#console/app/snippets/model-kind.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Sheet, SheetSection } from '#console/ui/overlays/sheet.tsx'
import { CodeSnippet } from '#console/ui/text/code-snippet.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { PricingRow } from '../contract.ts'
import {
  bucketsOf,
  isAvailable,
  isPricedByCall,
  MAIN_BUCKETS,
  type PriceBucket,
  requestCost,
} from './prices.ts'
import type { Pricing } from './queries.ts'
import { AvailabilityBadge, PriceText, ratioText } from './table.tsx'
import { useScreenText } from './text.ts'

const KEY_PLACEHOLDER = 'sk-…'
/** A first request, and one of a conversation whose beginning the provider has cached. */
const EXAMPLES = [
  { text: 'exampleText', tokens: { input: 1000, output: 500 } },
  { text: 'exampleCached', tokens: { input: 1000, cached: 9000, output: 500 } },
] as const

interface ModelSheetProps {
  readonly row: PricingRow
  readonly pricing: Pricing
  readonly onClose: () => void
}

/** One model: its price in every group, an example of a cost, and how to call it. */
export function ModelSheet({ row, pricing, onClose }: ModelSheetProps) {
  const t = useScreenText()
  const { group, isGuest } = pricing
  const status = useStatus()
  const snippets = firstCallSnippets({
    address: serverAddress(status),
    key: KEY_PLACEHOLDER,
    model: row.model_name,
    kind: modelKind(row.model_name, row.model_kind),
  })
  const canTry = !isGuest && !isPricedByCall(row) && isAvailable(row, group) && hasScreen('/playground')
  return (
    <Sheet
      title={row.model_name}
      status={<AvailabilityBadge row={row} group={group} />}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          {canTry && (
            <Link
              to="/playground"
              search={{ model: row.model_name, group: group === pricing.ownGroup ? '' : group }}
              className={buttonClasses('primary')}
            >
              {t('try')}
            </Link>
          )}
        </>
      }
    >
      <div className="mb-4 flex items-center gap-1 font-mono text-small">
        <span className="min-w-0 truncate">{row.model_name}</span>
        <CopyButton text={row.model_name} label={t('copyName')} />
      </div>
      <Ratios row={row} pricing={pricing} />
      <GroupPrices row={row} pricing={pricing} />
      <LongPrompts row={row} pricing={pricing} />
      <Example row={row} pricing={pricing} />
      <SheetSection title={t('code')}>
        <CodeSnippet label={t('code')} snippets={snippets} />
      </SheetSection>
    </Sheet>
  )
}

interface PartProps {
  readonly row: PricingRow
  readonly pricing: Pricing
}

function Ratios({ row, pricing }: PartProps) {
  const t = useScreenText()
  const groupItem = { label: t('groupRatio'), value: ratioText(pricing.groupRatio(pricing.group)) }
  if (isPricedByCall(row)) return <KeyValues items={[groupItem]} />
  return (
    <KeyValues
      items={[
        { label: t('modelRatio'), value: ratioText(row.model_ratio) },
        { label: t('completionRatio'), value: ratioText(row.completion_ratio) },
        { label: t('cachedRatio'), value: ratioText(row.cache_ratio ?? 1) },
        { label: t('cacheWriteRatio'), value: ratioText(row.create_cache_ratio ?? 1) },
        groupItem,
      ]}
    />
  )
}

function GroupPrices({ row, pricing: { prices } }: PartProps) {
  const t = useScreenText()
  const groups = Object.entries(prices.data?.ratios ?? {}).filter(([group]) => isAvailable(row, group))
  if (groups.length === 0) return null
  return (
    <SheetSection title={t('priceByGroup')}>
      <PriceTable
        heading={t('group')}
        columns={bucketsOf(row)}
        lines={groups.map(([group, ratio]) => ({
          key: group,
          name: (
            <>
              {group} <span className="text-muted">{ratioText(ratio)}×</span>
            </>
          ),
          row,
          ratio,
        }))}
      />
    </SheetSection>
  )
}

/** The prices of long prompts in the chosen group. */
function LongPrompts({ row, pricing }: PartProps) {
  const t = useScreenText()
  const language = useLanguage()
  const { long_prompts: tiers = [] } = row
  const ratio = pricing.groupRatio(pricing.group)
  if (tiers.length === 0) return null
  return (
    <SheetSection title={t('longPrompts')}>
      <p className="mb-2 text-small text-muted">{t('longPromptsHelp')}</p>
      <PriceTable
        heading={t('promptLength')}
        columns={MAIN_BUCKETS}
        lines={tiers.map(({ above, ...figures }) => ({
          key: String(above),
          name: t('aboveTokens', { tokens: formatNumber(above, language) }),
          row: { ...row, ...figures },
          ratio,
        }))}
      />
    </SheetSection>
  )
}

interface PriceTableProps {
  /** Of the column with the names of the lines. */
  readonly heading: string
  readonly columns: readonly PriceBucket[]
  readonly lines: readonly {
    readonly key: string
    readonly name: ReactNode
    readonly row: PartProps['row']
    readonly ratio: number
  }[]
}

function PriceTable({ heading, columns, lines }: PriceTableProps) {
  const t = useScreenText()
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-small tabular">
        <thead className="text-caption text-muted">
          <tr>
            <th scope="col" className="py-1.5 text-left font-medium">
              {heading}
            </th>
            {columns.map(column => (
              <th key={column} scope="col" className="py-1.5 pl-3 text-right font-medium">
                {t(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ key, name, row, ratio }) => (
            <tr key={key} className="border-t border-line">
              <th scope="row" className="py-1.5 text-left font-normal">
                {name}
              </th>
              {columns.map(column => (
                <td key={column} className="py-1.5 pl-3 text-right">
                  <PriceText row={row} ratio={ratio} of={column} unit="price" />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Example({ row, pricing }: PartProps) {
  const t = useScreenText()
  const language = useLanguage()
  const ratio = pricing.groupRatio(pricing.group)
  const examples = isPricedByCall(row) ? [{ text: 'exampleCall', tokens: {} } as const] : EXAMPLES
  return (
    <SheetSection title={t('example')}>
      {examples.map(({ text, tokens }) => (
        <p key={text} className="text-small">
          {t(text)} ={' '}
          <span className="font-semibold tabular">
            {formatPrice(requestCost(row, tokens, ratio), language)}
          </span>
        </p>
      ))}
    </SheetSection>
  )
}
