import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useStatus } from '#console/app/api/status.ts'
import { formatDateTime, TimeText } from '#console/app/format/format.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { optionOf, useOptionText } from '#console/app/settings/options.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { type ControlProps, Field, SegmentedChoice, TextArea, TextInput } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import type { DataOf } from '#contract/endpoint.ts'
import { contentOptions } from '#contract/options/content-options.ts'
import type { LatestRelease } from '#contract/options/options.ts'
import type { getDiskForecast } from '#features/doctor/contract.ts'
import { SettingSection, TabLayout } from '../layout.tsx'
import { BackupCard } from './backups.tsx'
import { diskQuery, useUpdateCheck } from './queries.ts'
import { useOtherText } from './text.ts'

const GIB = 2 ** 30
type OtherText = ReturnType<typeof useOtherText>

/** Content of the installation. */
export function OtherTab() {
  const t = useOtherText()
  const words = useOptionText()
  const { version, start_time: startedAt } = useStatus()
  const { data: disk } = useQuery(diskQuery)
  const sections = [
    ...CONTENT_KEYS.map(key => ({ id: key, title: words(key).label })),
    { id: 'backups', title: t('backups') },
    { id: 'system', title: t('system') },
  ]
  return (
    <TabLayout sections={sections}>
      {CONTENT_KEYS.map(key => (
        <ContentCard key={key} contentKey={key} />
      ))}
      <BackupCard />
      <SettingSection id="system" title={t('system')}>
        <KeyValues
          items={[
            { label: t('version'), value: version },
            { label: t('started'), value: startedAt > 0 ? <TimeText unixSeconds={startedAt} /> : '' },
            { label: t('disk'), value: disk ? describeDisk(disk, t) : '' },
          ]}
        />
        <UpdateCheck />
      </SettingSection>
    </TabLayout>
  )
}

function describeDisk(
  { free_bytes, full_in_days: days }: DataOf<typeof getDiskForecast>,
  t: OtherText,
): string {
  const free = Math.floor(free_bytes / GIB)
  return days === null ? t('diskFree', { free }) : t('diskFull', { free, days })
}

/** Checks for a newer version on request. The release notes are shown as plain text, so that no external image is loaded. */
export function UpdateCheck() {
  const t = useOtherText()
  const check = useUpdateCheck()
  return (
    <>
      <Button className="justify-self-start" isBusy={check.isPending} onClick={() => check.mutate()}>
        {t('checkUpdate')}
      </Button>
      {check.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(check.error)}
        </Banner>
      )}
      <div role="status" className="grid gap-3 empty:hidden">
        {check.data && <ReleaseInfo release={check.data} />}
      </div>
    </>
  )
}

function ReleaseInfo({ release }: { readonly release: LatestRelease }) {
  const t = useOtherText()
  const { latest: version, url, notes, published_at: at } = release
  if (!release.is_newer) return <Banner tone="success">{t('upToDate', { version: release.running })}</Banner>
  return (
    <section aria-label={t('newer', { version })} className="grid gap-3">
      <Banner tone="info">
        {at > 0 ? t('newerOf', { version, time: formatDateTime(at) }) : t('newer', { version })}
      </Banner>
      {notes.trim() !== '' && (
        <p className="whitespace-pre-wrap rounded-card border border-line px-4 py-3 text-small">{notes}</p>
      )}
      {url !== '' && (
        <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
          {t('openRelease')}
        </a>
      )}
    </section>
  )
}

const rich = lazyPart(async () => (await import('#console/ui/text/rich-text.tsx')).RichText)

type ContentKey = keyof typeof contentOptions
const isContentKey = (key: string): key is ContentKey => Object.hasOwn(contentOptions, key)
const CONTENT_KEYS = Object.keys(contentOptions).filter(isContentKey)

const isLong = (key: ContentKey): boolean => optionOf(key).kind === 'page'

/** Editor of one text, with a preview. */
export function ContentCard({ contentKey: key }: { readonly contentKey: ContentKey }) {
  const t = useOtherText()
  const { label, help } = useOptionText()(key)
  const form = useOptionForm()
  const [look, setLook] = useState<'write' | 'preview'>('write')
  const value = form.currentValue(key)
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
        <Field name={key} label={label} help={help} error={form.errorOf(key)}>
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
  const t = useOtherText()
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
