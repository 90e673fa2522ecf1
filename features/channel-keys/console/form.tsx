import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { useDirtyGuard } from '#console/app/forms/dirty-guard.ts'
import { Button, Spinner } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import { TextAreaField } from '#console/ui/forms/labelled-inputs.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { ChannelType } from '#features/channels/contract/channels.ts'
import { type KeyedChannel, keysOf, needsOnlyKey, recognizeType, shortKey } from './pasted-keys.ts'
import { type ChosenKey, useCreateChannels, useModelsOf, useProviders } from './queries.ts'
import { useScreenText } from './text.ts'

const TYPING_PAUSE_MS = 400
const NO_TYPES: readonly ChannelType[] = []

/** Pasted keys, what is known about each, and one button that makes channels of them. */
export function ChannelKeysForm() {
  const t = useScreenText()
  const navigate = useNavigate()
  const providers = useProviders()
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const { keys, choose } = useChosenKeys(text, providers.data ?? NO_TYPES)
  const models = useModelsOf(keys)
  const create = useCreateChannels()
  const ready = keys.flatMap(({ key, type }, index): KeyedChannel[] => {
    const offered = models[index]?.data
    return type && offered && offered.length > 0 ? [{ key, type, models: offered }] : []
  })
  const isReading = models.some(({ isLoading }) => isLoading)
  useDirtyGuard(text !== '' && !isBusy)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const { created, failed } = await create(ready)
    const left = keys.filter(({ key }) => !created.some(channel => channel.key === key))
    setText(left.map(({ key }) => key).join('\n'))
    for (const { name, error } of failed)
      toast('error', t('notCreated', { name, reason: plainErrorText(error) }))
    if (created.length > 0) toast('success', t('created', { count: created.length }))
    if (left.length === 0) void navigate({ to: '/channel' })
    else setBusy(false)
  }

  return (
    <>
      {providers.error && <LoadError error={providers.error} onRetry={() => void providers.refetch()} />}
      <form
        noValidate
        autoComplete="off"
        className="grid max-w-220 gap-4 rounded-card border border-line bg-surface p-4 sm:p-5"
        onSubmit={event => void submit(event)}
      >
        <TextAreaField
          label={t('keys')}
          help={t('keysHelp')}
          isMono
          rows={5}
          spellCheck={false}
          value={text}
          placeholder={'sk-proj-…\nsk-ant-…\nAIza…'}
          onChange={event => setText(event.target.value)}
        />
        {keys.length > 0 && (
          <ul className="grid divide-y divide-line rounded-card border border-line">
            {keys.map((chosen, index) => (
              <KeyRow
                key={chosen.key}
                chosen={chosen}
                models={models[index]}
                types={providers.data ?? NO_TYPES}
                onChoose={type => choose(chosen.key, type)}
              />
            ))}
          </ul>
        )}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-small text-muted">
            {t('otherForm')}:{' '}
            <Link to="/channel/add" className="text-accent underline underline-offset-2">
              {t('newChannel')}
            </Link>
          </p>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={ready.length === 0 || isReading}>
            {ready.length === 0 ? t('createAll') : t('create', { count: ready.length })}
          </Button>
        </div>
      </form>
    </>
  )
}

/** The keys of the text a moment after the last change, each with its provider. */
function useChosenKeys(text: string, types: readonly ChannelType[]) {
  const [settled, setSettled] = useState('')
  const [chosen, setChosen] = useState<ReadonlyMap<string, ChannelType>>(new Map())
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const keys = useMemo(
    () =>
      keysOf(settled).map((key): ChosenKey => ({ key, type: chosen.get(key) ?? recognizeType(key, types) })),
    [settled, chosen, types],
  )
  const choose = (key: string, type: ChannelType) => setChosen(new Map([...chosen, [key, type]]))
  return { keys, choose }
}

interface KeyRowProps {
  readonly chosen: ChosenKey
  readonly models: UseQueryResult<readonly string[]> | undefined
  readonly types: readonly ChannelType[]
  readonly onChoose: (type: ChannelType) => void
}

function KeyRow({ chosen: { key, type }, models, types, onChoose }: KeyRowProps) {
  const t = useScreenText()
  const options = useMemo(
    () =>
      types
        .filter(candidate => needsOnlyKey(candidate) && candidate.popularity !== 'discontinued')
        .map(candidate => ({ value: String(candidate.type), label: candidate.name })),
    [types],
  )
  const choose = (value: string) => {
    const found = types.find(candidate => String(candidate.type) === value)
    if (found) onChoose(found)
  }
  return (
    <li className="grid items-center gap-x-4 gap-y-2 p-3 sm:grid-cols-[10rem_14rem_1fr]">
      <span className="font-mono text-small break-all">{shortKey(key)}</span>
      <Combobox
        aria-label={`${t('provider')} · ${shortKey(key)}`}
        options={options}
        value={type ? String(type.type) : ''}
        placeholder={t('chooseProvider')}
        onChange={choose}
      />
      <span role="status" className={classes('text-small', models?.error ? 'text-danger' : 'text-muted')}>
        <KeyState type={type} models={models} />
      </span>
    </li>
  )
}

function KeyState({
  type,
  models,
}: { readonly type: ChannelType | undefined } & Pick<KeyRowProps, 'models'>) {
  const t = useScreenText()
  if (!type) return t('noProvider')
  if (models?.error) return t('rejected', { reason: plainErrorText(models.error) })
  if (!models?.data)
    return (
      <span className="flex items-center gap-2">
        <Spinner size={14} />
        {t('reading')}
      </span>
    )
  return t(type.can_list_models ? 'accountModels' : 'defaultModels', { count: models.data.length })
}
