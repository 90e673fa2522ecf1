import { useQuery } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { useRef, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { useSetSearchParams } from '#console/app/router/search-params.ts'
import { Button, CopyButton, IconButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Checkbox, Select, TextInput } from '#console/ui/forms/fields.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { distinctNames } from '#contract/fields.ts'
import { responseTone } from '../channel.ts'
import { useDialogText } from '../dialog-text.ts'
import { channelQuery, useListMutations } from '../queries.ts'
import { ChannelSearch } from '../search-params.ts'
import { failingModels, type ModelTest, summarizeTests, type TestResults, useTestRun } from './test-run.ts'

const CONCURRENCIES = ['1', '2', '3', '5', '10'] as const
const NONE_SELECTED: ReadonlySet<string> = new Set()

/** Tests the models of a channel: one, the selected ones, or all. */
export function TestDialog({ id }: { readonly id: number }) {
  const t = useDialogText()
  const setUrl = useSetSearchParams(ChannelSearch)
  const { data: channel, error } = useQuery(channelQuery(id))
  const { results, isRunning, run, stop } = useTestRun(id)
  const { save } = useListMutations()
  const [filter, setFilter] = useState('')
  const [concurrency, setConcurrency] = useState<(typeof CONCURRENCIES)[number]>('3')
  const [isStreamed, setStreamed] = useState(false)
  const [selected, setSelected] = useState(NONE_SELECTED)
  const search = useRef<HTMLInputElement>(null)
  const models = distinctNames(channel?.models ?? '')
  const shown = models.filter(model => model.toLowerCase().includes(filter.trim().toLowerCase()))
  const selectedModels = shown.filter(model => selected.has(model))
  const failing = failingModels(results).filter(model => models.includes(model))
  const { passed, failed, unfinished } = summarizeTests(results)
  const start = (some: readonly string[]) => void run(some, { concurrency: Number(concurrency), isStreamed })

  const removeFailing = async () => {
    const isSure = await confirm({
      title: t('removeFailingTitle', { count: failing.length }),
      text: failing.join(', '),
      action: t('remove'),
      isDanger: true,
    })
    if (!isSure) return
    const left = models.filter(model => !failing.includes(model))
    if (left.length === 0) return toast('warning', t('modelsNeeded'))
    save.mutate(
      { id, models: left.join(',') },
      {
        onSuccess: () => toast('success', t('updated')),
        onError: failure => toast('error', errorText(failure)),
      },
    )
  }

  return (
    <Dialog
      title={t('testTitle', { name: channel?.name ?? `#${id}` })}
      width="large"
      initialFocus={search}
      onClose={() => setUrl({ test: '' })}
      footer={
        isRunning ? (
          <Button onClick={stop}>{t('stop')}</Button>
        ) : (
          <>
            <Button disabled={selectedModels.length === 0} onClick={() => start(selectedModels)}>
              {t('testChosen', { count: selectedModels.length })}
            </Button>
            <Button variant="primary" disabled={shown.length === 0} onClick={() => start(shown)}>
              {t('testShown', { count: shown.length })}
            </Button>
          </>
        )
      }
    >
      {error && (
        <Banner tone="danger" isAlert>
          {t('notFound')}
        </Banner>
      )}
      <div className="grid gap-3 pt-2">
        <div className="flex flex-wrap items-center gap-2">
          <div className="min-w-40 flex-1">
            <TextInput
              ref={search}
              type="search"
              aria-label={t('searchModel')}
              placeholder={t('searchModel')}
              value={filter}
              onChange={event => setFilter(event.target.value)}
            />
          </div>
          <Checkbox checked={isStreamed} onChange={event => setStreamed(event.target.checked)}>
            <span className="text-small text-muted">{t('streamed')}</span>
          </Checkbox>
          <span className="flex items-center gap-2 text-small text-muted">
            {t('concurrency')}
            <Select
              isSmall
              aria-label={t('concurrency')}
              value={concurrency}
              options={CONCURRENCIES.map(value => ({ value, label: value }))}
              onChange={setConcurrency}
            />
          </span>
        </div>
        {channel ? (
          <TestTable
            models={shown}
            results={results}
            selected={selected}
            onSelect={setSelected}
            isRunning={isRunning}
            onTest={model => start([model])}
          />
        ) : (
          !error && <Skeleton className="h-64 w-full" />
        )}
        <div className="flex min-h-7 flex-wrap items-center gap-2 text-small text-muted">
          <span role="status" className="mr-auto tabular">
            {results.size > 0 && t('testSummary', { passed, failed, open: unfinished })}
          </span>
          {failing.length > 0 && !isRunning && (
            <>
              <CopyButton text={failing.join('\n')} label={t('copyFailing')} buttonText={t('copyFailing')} />
              <Button size="small" variant="danger-text" onClick={() => void removeFailing()}>
                {t('removeFailing')}
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  )
}

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
function TestTable({ models, results, selected, onSelect, isRunning, onTest }: TestTableProps) {
  const t = useDialogText()
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
  const t = useDialogText()
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
