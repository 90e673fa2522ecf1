import { Suspense, useState } from 'react'
import { errorText } from '../../../app/api/call.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Field, type ControlProps } from '../../../ui/forms/field.tsx'
import { lazyPart } from '../../../ui/lazy-part.ts'
import { SegmentedChoice } from '../../../ui/forms/select.tsx'
import { useText } from '../../../ui/text/text.ts'
import { TextInput, TextArea } from '../../../ui/forms/text-inputs.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useOptionForm } from '../options/option-form.ts'
import { putOption, useOptionsChanged } from '../options/queries.ts'
import type { CONTENT_KEYS } from '../options/sections.ts'
import { useOptionWords } from '../options/use-option-words.ts'
import { SettingSection } from '../setting-section.tsx'
import { text } from '../text.ts'
import { otherText } from './text.ts'

const rich = lazyPart(async () => (await import('../../../ui/text/rich-text.tsx')).RichText)

type ContentKey = (typeof CONTENT_KEYS)[number]

const HELP = {
  Notice: 'markdown',
  SystemName: 'nameHelp',
  Logo: 'logoHelp',
  HomePageContent: 'orAddress',
  About: 'orAddress',
  Footer: 'html',
  UpdateFeedUrl: 'feedHelp',
} as const

const ONE_LINE: readonly ContentKey[] = ['SystemName', 'Logo', 'UpdateFeedUrl']
const isLong = (key: ContentKey): boolean => !ONE_LINE.includes(key)

/** One text of the installation with its preview and a button of its own. */
export function ContentCard({ contentKey: key }: { readonly contentKey: ContentKey }) {
  const t = useText(otherText)
  const g = useText(text)
  const { label } = useOptionWords()(key)
  const form = useOptionForm()
  const refresh = useOptionsChanged()
  const [look, setLook] = useState<'write' | 'preview'>('write')
  const [isBusy, setBusy] = useState(false)
  const value = form.textAt(key)
  const save = async () => {
    if (!form.edits.some(edit => edit.key === key)) return toast('warning', g('nothingChanged'))
    setBusy(true)
    try {
      await putOption(key, value)
      await refresh()
      form.reset(key)
      toast('success', t(`saved${key}`))
    } catch (error) {
      toast('error', errorText(error))
    }
    setBusy(false)
  }
  return (
    <SettingSection
      id={key}
      title={label}
      aside={
        isLong(key) && (
          <SegmentedChoice
            isLabelHidden
            label={t('look')}
            value={look}
            options={[
              { value: 'write', label: t('write') },
              { value: 'preview', label: t('preview') },
            ]}
            onChange={setLook}
          />
        )
      }
    >
      {look === 'preview' ? (
        <Preview source={value} />
      ) : (
        <Field name={key} label={label} help={t(HELP[key])} error={form.problemOf(key)}>
          {control => (
            <ContentInput
              contentKey={key}
              control={control}
              value={value}
              onChange={next => form.set(key, next)}
            />
          )}
        </Field>
      )}
      {key === 'Logo' && value.startsWith('https://') && (
        <img
          src={value}
          alt={t('logoAlt')}
          className="h-12 max-w-60 rounded-control border border-line p-1"
        />
      )}
      <Button className="justify-self-start" isBusy={isBusy} onClick={() => void save()}>
        {t(`save${key}`)}
      </Button>
    </SettingSection>
  )
}

interface ContentInputProps {
  readonly contentKey: ContentKey
  readonly control: ControlProps
  readonly value: string
  readonly onChange: (value: string) => void
}

function ContentInput({ contentKey, control, value, onChange }: ContentInputProps) {
  if (!isLong(contentKey))
    return <TextInput {...control} value={value} onChange={event => onChange(event.target.value)} />
  return (
    <TextArea {...control} isMono rows={6} value={value} onChange={event => onChange(event.target.value)} />
  )
}

function Preview({ source }: { readonly source: string }) {
  const t = useText(otherText)
  if (source.trim() === '') return <p className="text-muted">{t('nothing')}</p>
  if (source.startsWith('https://')) return <p className="text-muted">{t('framed', { address: source })}</p>
  return (
    <div className="rounded-card border border-line px-4 py-3">
      <Suspense fallback={null}>
        <rich.Part source={source} />
      </Suspense>
    </div>
  )
}
