import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { distinctNames } from '#contract/fields.ts'
import { errorText } from '../../../app/api/call.ts'
import { useSetSearchParams } from '../../../app/router/search-params.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { CopyButton } from '../../../ui/buttons/copy-button.tsx'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import { confirm } from '../../../ui/overlays/confirm.ts'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useText } from '../../../ui/text/text.ts'
import { dialogText } from '../dialog-text.ts'
import { channelQuery, useListMutations } from '../queries.ts'
import { ChannelSearch } from '../search-params.ts'
import { failingModels, summarizeTests, useTestRun } from './test-run.ts'
import { TestTable } from './test-table.tsx'

const CONCURRENCIES = ['1', '2', '3', '5', '10'] as const
const NONE_SELECTED: ReadonlySet<string> = new Set()

/** Tests the models of a channel: one, the selected ones, or all. */
export function TestDialog({ id }: { readonly id: number }) {
  const t = useText(dialogText)
  const setUrl = useSetSearchParams(ChannelSearch)
  const { data: channel, error } = useQuery(channelQuery(id))
  const { results, isRunning, run, stop } = useTestRun(id)
  const { save } = useListMutations()
  const [filter, setFilter] = useState('')
  const [atOnce, setAtOnce] = useState<(typeof CONCURRENCIES)[number]>('3')
  const [isStreamed, setStreamed] = useState(false)
  const [selected, setSelected] = useState(NONE_SELECTED)
  const search = useRef<HTMLInputElement>(null)
  const models = distinctNames(channel?.models ?? '')
  const shown = models.filter(model => model.toLowerCase().includes(filter.trim().toLowerCase()))
  const selectedModels = shown.filter(model => selected.has(model))
  const failing = failingModels(results).filter(model => models.includes(model))
  const { passed, failed, unfinished } = summarizeTests(results)
  const start = (some: readonly string[]) => void run(some, { concurrency: Number(atOnce), isStreamed })

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
            <Button look="primary" disabled={shown.length === 0} onClick={() => start(shown)}>
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
            {t('atOnce')}
            <Select
              isSmall
              aria-label={t('atOnce')}
              value={atOnce}
              options={CONCURRENCIES.map(value => ({ value, label: value }))}
              onChange={setAtOnce}
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
              <CopyButton text={failing.join('\n')} label={t('copyFailing')} words={t('copyFailing')} />
              <Button size="small" look="danger-text" onClick={() => void removeFailing()}>
                {t('removeFailing')}
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  )
}
