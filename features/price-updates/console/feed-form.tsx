import { Download } from 'lucide-react'
import { useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { formatNumber } from '#console/app/format/format.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field, SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { FileInput } from '#console/ui/forms/file-input.tsx'
import { InputField, TextAreaField } from '#console/ui/forms/labelled-inputs.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { PRICE_FEED_CHARS_MAX } from '../contract.ts'
import { type PriceFeedSource, useReadPriceFeed } from './queries.ts'
import { usePriceUpdateText } from './text.ts'

type Kind = 'address' | 'file' | 'paste'

/** Chooses where prices come from and reads them. A file is read as soon as it is chosen. */
export function FeedForm() {
  const t = usePriceUpdateText()
  const language = useLanguage()
  const { storedValue } = useOptionForm()
  const reading = useReadPriceFeed()
  const [kind, setKind] = useState<Kind>('address')
  const [url, setUrl] = useState(() => storedValue('PriceFeedUrl'))
  const [text, setText] = useState('')
  const [isTried, setTried] = useState(false)

  const read = (source: PriceFeedSource) =>
    reading.mutate(source, {
      onSuccess: ({ row_count, rows }) =>
        toast(
          'success',
          t('readOne', {
            count: formatNumber(row_count, language),
            differences: formatNumber(rows.length, language),
          }),
        ),
    })
  const submit = () => {
    setTried(true)
    if (kind === 'address' && url.trim() !== '') read({ url: url.trim(), text: '', name: '' })
    if (kind === 'paste' && text.trim() !== '') read({ url: '', text, name: '' })
  }
  const choose = (next: Kind) => {
    setKind(next)
    setTried(false)
    reading.reset()
  }
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-small text-muted">{t('sourceHelp')}</p>
      <div className="sm:w-80">
        <SegmentedChoice
          label={t('source')}
          value={kind}
          options={[
            { value: 'address', label: t('address') },
            { value: 'file', label: t('file') },
            { value: 'paste', label: t('paste') },
          ]}
          onChange={choose}
        />
      </div>
      {kind === 'address' && (
        <InputField
          label={t('feedAddress')}
          error={isTried && url.trim() === '' ? t('addressNeeded') : undefined}
          isMono
          type="url"
          placeholder="https://models.dev/api.json"
          value={url}
          onChange={event => setUrl(event.target.value)}
        />
      )}
      {kind === 'paste' && (
        <TextAreaField
          label={t('feedText')}
          error={isTried && text.trim() === '' ? t('textNeeded') : undefined}
          isMono
          rows={6}
          maxLength={PRICE_FEED_CHARS_MAX}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      )}
      {kind === 'file' && (
        <Field label={t('feedFile')}>
          {control => (
            <FileInput
              control={control}
              accept=".json,application/json"
              label={t('feedFile')}
              onChange={async ([file]) => {
                if (file) read({ url: '', text: await file.text(), name: file.name })
              }}
            />
          )}
        </Field>
      )}
      {reading.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(reading.error)}
        </Banner>
      )}
      {kind !== 'file' && (
        <Button icon={Download} className="justify-self-start" isBusy={reading.isPending} onClick={submit}>
          {t('read')}
        </Button>
      )}
    </div>
  )
}
