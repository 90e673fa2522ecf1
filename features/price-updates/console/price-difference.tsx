import { useCallback } from 'react'
import { formatPrice } from '#console/app/format/format.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { PriceUpdate } from '../contract.ts'
import { usePriceUpdateText } from './text.ts'

/** The first column of lists of prices. */
export const modelColumn = (header: string) => ({
  id: 'model',
  header,
  isFixed: true,
  cell: ({ model }: { readonly model: string }) => <code className="font-mono text-small">{model}</code>,
})

export type Difference = PriceUpdate['differences'][number]

const SHOWN = 2
const NAMED = [
  'input',
  'output',
  'cached_input',
  'cache_write',
  'cache_write_1h',
  'reasoning',
  'request',
  'image',
] as const
const isNamed = (line: string): line is (typeof NAMED)[number] => NAMED.some(name => name === line)

/** The name of a price; those of tiers, services and tools keep the name that the catalogue gives them. */
export function useLineName(): (line: string) => string {
  const t = usePriceUpdateText()
  return useCallback(line => (isNamed(line) ? t(line) : line), [t])
}

interface OldAndNewProps {
  readonly difference: Difference
}

/** An old and a new price, with all digits. */
export function OldAndNew({ difference: { from, to } }: OldAndNewProps) {
  const t = usePriceUpdateText()
  const language = useLanguage()
  const text = (price: number | undefined) =>
    price === undefined ? t('noPrice') : formatPrice(price, language)
  return (
    <span className="tabular whitespace-nowrap">
      <span className="text-muted">{text(from)}</span> → {text(to)}
    </span>
  )
}

interface DifferencesProps {
  readonly differences: readonly Difference[]
}

const rank = ({ line }: Difference): number => (isNamed(line) ? NAMED.indexOf(line) : NAMED.length)

/** The differences that matter most. */
const mainDifferences = (differences: readonly Difference[]): readonly Difference[] =>
  differences.toSorted((one, other) => rank(one) - rank(other)).slice(0, SHOWN)

/** The main differences as labels and values of a card. */
export function useMainFacts() {
  const lineName = useLineName()
  return useCallback(
    (differences: readonly Difference[]) =>
      mainDifferences(differences).map(difference => ({
        label: lineName(difference.line),
        value: <OldAndNew difference={difference} />,
      })),
    [lineName],
  )
}

/** The main differences of a model and how many more there are. */
export function MainDifferences({ differences }: DifferencesProps) {
  const t = usePriceUpdateText()
  const lineName = useLineName()
  const rest = differences.length - SHOWN
  return (
    <span className="inline-flex flex-wrap gap-x-4">
      {mainDifferences(differences).map(difference => (
        <span key={difference.line} className="whitespace-nowrap">
          <span className="text-caption text-muted">{lineName(difference.line)}</span>{' '}
          <OldAndNew difference={difference} />
        </span>
      ))}
      {rest > 0 && <span className="text-caption text-muted">{t('more', { count: rest })}</span>}
    </span>
  )
}
