import { z } from 'zod'
import type { ChannelType } from '#contract/channels.ts'
import { PasswordInput } from '../../../ui/password-input.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { type Translate, useText } from '../../../ui/text.ts'
import { TextArea } from '../../../ui/text-area.tsx'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { type KeyLines, keyLines } from './key-lines.ts'
import { sheetText } from './sheet-text.ts'

interface KeyFieldProps {
  readonly form: ChannelFormState
  readonly type: ChannelType | undefined
  readonly isNew: boolean
}

const ServiceAccount = z.object({ project_id: z.string() })

function projectOf(key: string): string | undefined {
  try {
    return ServiceAccount.safeParse(JSON.parse(key)).data?.project_id
  } catch {
    return undefined
  }
}

type T = Translate<keyof typeof sheetText.zh>

const droppedText = ({ blanks, repeats }: KeyLines, t: T): string =>
  blanks + repeats > 0 ? t('keysDropped', { blanks, repeats }) : ''

function projectText(key: string, t: T): string {
  const project = projectOf(key)
  return project === undefined ? '' : t('projectOf', { project })
}

/** What there is to say about what was typed, else how a key of this vendor looks. */
const helpOf = (type: ChannelType | undefined, said: string, t: T): string | undefined =>
  said || (type?.key_hint ? t('keyHint', { hint: type.key_hint }) : undefined)

/** The vendor's secret: one, one a line for a batch, or a JSON document. It is never shown again after saving. */
export function KeyField({ form, type, isNew }: KeyFieldProps) {
  const t = useText(sheetText)
  const { isBatch, isSeveral, key } = form.watch()
  const isJson = type?.form.key === 'json'
  const hasLines = !isJson && (isBatch || isSeveral)
  const placeholder = isNew ? (type?.key_hint ?? '') : t('keyKept')
  const lines = keyLines(key)
  return (
    <>
      <FormField
        form={form}
        name="key"
        label={t('key')}
        isRequired={isNew}
        aside={hasLines && key !== '' ? t('keysCounted', { count: lines.keys.length }) : undefined}
        help={helpOf(type, isJson ? projectText(key, t) : hasLines ? droppedText(lines, t) : '', t)}
      >
        {(field, control) =>
          hasLines || isJson ? (
            <TextArea
              {...control}
              isMono
              rows={hasLines ? 6 : 5}
              value={field.value}
              placeholder={hasLines && isNew ? t('onePerLine') : placeholder}
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
          ) : (
            <PasswordInput
              {...control}
              name="channel-secret"
              autoComplete="new-password"
              data-1p-ignore
              value={field.value}
              placeholder={placeholder}
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
          )
        }
      </FormField>
      {!isJson && <KeySwitches form={form} isNew={isNew} />}
    </>
  )
}

/** The lines of a key are channels or keys of one channel, not both. */
function KeySwitches({ form, isNew }: Omit<KeyFieldProps, 'type'>) {
  const t = useText(sheetText)
  const { isBatch, isSeveral } = form.watch()
  const choose = (name: 'isBatch' | 'isSeveral', isOn: boolean) => {
    const other = name === 'isBatch' ? 'isSeveral' : 'isBatch'
    form.setValue(name, isOn, { shouldDirty: true })
    if (isOn) form.setValue(other, false, { shouldDirty: true })
  }
  return (
    <>
      {isNew && (
        <Switch
          label={t('batchCreate')}
          help={t('batchCreateHelp')}
          checked={isBatch}
          onChange={event => choose('isBatch', event.target.checked)}
        />
      )}
      <Switch
        label={t('severalKeys')}
        help={t('severalKeysHelp')}
        checked={isSeveral}
        onChange={event => choose('isSeveral', event.target.checked)}
      />
    </>
  )
}
