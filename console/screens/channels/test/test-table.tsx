import { Zap } from 'lucide-react'
import { IconButton } from '../../../ui/buttons/button.tsx'
import { StatusBadge } from '../../../ui/data/status-badge.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { useKitText } from '../../../ui/text/kit-text.ts'
import { useText } from '../../../ui/text/text.ts'
import { responseTone } from '../channel.ts'
import { dialogText } from '../dialog-text.ts'
import type { ModelTest, TestResults } from './test-run.ts'

const MS = 1000

interface TestTableProps {
  readonly models: readonly string[]
  readonly results: TestResults
  readonly selected: ReadonlySet<string>
  readonly onSelect: (models: ReadonlySet<string>) => void
  readonly isRunning: boolean
  readonly onTest: (model: string) => void
}

/** The models with the results of their tests. */
export function TestTable({ models, results, selected, onSelect, isRunning, onTest }: TestTableProps) {
  const t = useText(dialogText)
  const kit = useKitText()
  const selectedCount = models.filter(model => selected.has(model)).length
  const select = (some: readonly string[], isOn: boolean) =>
    onSelect(new Set(isOn ? [...selected, ...some] : [...selected].filter(model => !some.includes(model))))
  return (
    <section
      aria-label={t('models')}
      className="max-h-[45dvh] overflow-y-auto rounded-card border border-line"
    >
      <table className="w-full text-small">
        <caption className="sr-only">{t('testModels')}</caption>
        <thead className="sticky top-0 z-10 bg-sunken text-caption text-muted">
          <tr className="h-9">
            <th scope="col" className="w-10 pl-3 text-left">
              <Checkbox
                aria-label={kit('selectPage')}
                checked={selectedCount > 0 && selectedCount === models.length}
                isMixed={selectedCount > 0 && selectedCount < models.length}
                onChange={event => select(models, event.target.checked)}
              />
            </th>
            <th scope="col" className="px-2 text-left font-medium">
              {t('model')}
            </th>
            <th scope="col" className="px-2 text-left font-medium">
              {t('result')}
            </th>
            <th scope="col" className="w-12 pr-2 text-right font-medium">
              <span className="sr-only">{kit('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map(model => (
            <tr key={model} className="border-t border-line coarse:h-12">
              <td className="py-2 pl-3 align-top">
                <Checkbox
                  aria-label={kit('selectRow', { name: model })}
                  checked={selected.has(model)}
                  onChange={event => select([model], event.target.checked)}
                />
              </td>
              <td className="px-2 py-2 align-top font-mono text-caption leading-5 [overflow-wrap:anywhere]">
                {model}
              </td>
              <td className="px-2 py-2 align-top">
                <ResultCell result={results.get(model)} />
              </td>
              <td className="py-1 pr-2 text-right align-top">
                <IconButton
                  label={`${t('test')} · ${model}`}
                  icon={Zap}
                  size="small"
                  disabled={isRunning}
                  onClick={() => onTest(model)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {models.length === 0 && <p className="px-3 py-6 text-center text-muted">{kit('noMatches')}</p>}
    </section>
  )
}

function ResultCell({ result }: { readonly result: ModelTest | undefined }) {
  const t = useText(dialogText)
  if (!result) return <span className="text-subtle">{t('notTested')}</span>
  if (result.state === 'waiting') return <span className="text-muted">{t('waiting')}</span>
  if (result.state === 'running')
    return (
      <StatusBadge tone="info" mark="clock">
        {t('running')}
      </StatusBadge>
    )
  if (result.state === 'passed')
    return (
      <StatusBadge tone={responseTone((result.seconds ?? 0) * MS)}>
        {t('seconds', { seconds: (result.seconds ?? 0).toFixed(2) })}
      </StatusBadge>
    )
  return (
    <div className="grid justify-items-start gap-1">
      <StatusBadge tone="danger" mark="cross">
        {t('failed')}
      </StatusBadge>
      <span className="text-caption text-muted [overflow-wrap:anywhere]">{result.reason}</span>
    </div>
  )
}
