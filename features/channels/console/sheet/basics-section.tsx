import { z } from 'zod'
import { Monogram } from '#console/ui/data/badges.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import { PasswordInput, Switch, TextArea } from '#console/ui/forms/fields.tsx'
import { confirm } from '#console/ui/overlays/messages.tsx'
import { SheetSection } from '#console/ui/overlays/sheet.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { Channel, ChannelType } from '../../contract/channels.ts'
import { type ChannelFormState, FormField, TextField } from './form-field.tsx'
import { type KeyLines, parseKeyLines } from './form-schema.ts'
import { findKeyMove } from './key-move.ts'
import { type SheetTranslate, useSheetText } from './text.ts'

const TRAILING_VERSION = /\/v1\/*$/

interface BasicsSectionProps {
  readonly form: ChannelFormState
  readonly types: ReadonlyMap<number, ChannelType>
  /** Undefined for a new channel. */
  readonly stored: Channel | undefined
}

const POPULARITY_RANKS = { popular: 0, common: 1, discontinued: 2 } as const

/** The provider, the name, the address and the key of the channel. */
export function BasicsSection({ form, types, stored }: BasicsSectionProps) {
  const t = useSheetText()
  const language = useLanguage()
  const changeType = useTypeChange(form, types)
  const { type: typeNumber, base_url: baseUrl } = form.watch()
  const type = types.get(Number(typeNumber))
  const options = [...types.values()]
    .toSorted((a, b) => POPULARITY_RANKS[a.popularity] - POPULARITY_RANKS[b.popularity])
    .map(({ type, name }) => ({
      value: String(type),
      label: name,
      icon: <Monogram name={name} />,
    }))
  const notice = type?.form.notice?.[language]
  const other = type?.form.other
  const name = (
    <TextField form={form} name="name" label={t('name')} isRequired placeholder={t('namePlaceholder')} />
  )
  return (
    <SheetSection title={t('basics')}>
      {notice && <Banner tone="info">{notice}</Banner>}
      <div className="grid items-start gap-5 2xl:grid-cols-2">
        {stored && name}
        <FormField form={form} name="type" label={t('type')} isRequired>
          {(field, control) => (
            <Combobox
              {...control}
              options={options}
              value={field.value}
              onChange={chosen => void changeType(chosen)}
              onBlur={field.onBlur}
            />
          )}
        </FormField>
        {!stored && name}
        {type?.form.base_url !== 'hidden' && (
          <TextField
            form={form}
            name="base_url"
            label={type?.form.base_url_label?.[language] ?? t('base_url')}
            isRequired={type?.form.base_url === 'required'}
            isMono
            inputMode="url"
            placeholder={type?.base_url}
            help={TRAILING_VERSION.test(baseUrl) && type?.base_url ? t('versionAtEnd') : undefined}
          />
        )}
        <KeyField form={form} types={types} stored={stored} />
        {other && (
          <TextField
            form={form}
            name="other"
            label={other.label[language]}
            isRequired={other.is_required}
            isMono
            placeholder={other.placeholder}
          />
        )}
        {type?.form.has_organization && (
          <TextField
            form={form}
            name="openai_organization"
            label={t('openai_organization')}
            isMono
            placeholder="org-…"
          />
        )}
      </div>
    </SheetSection>
  )
}

const ServiceAccount = z.object({ project_id: z.string() })

function readProject(key: string): string | undefined {
  try {
    return ServiceAccount.safeParse(JSON.parse(key)).data?.project_id
  } catch {
    return undefined
  }
}

const droppedText = ({ blankCount, duplicateCount }: KeyLines, t: SheetTranslate): string =>
  blankCount + duplicateCount > 0 ? t('keysDropped', { blanks: blankCount, repeats: duplicateCount }) : ''

function projectText(key: string, t: SheetTranslate): string {
  const project = readProject(key)
  return project === undefined ? '' : t('projectOf', { project })
}

/** The note about the typed key, or the format of a key of this provider. */
const helpText = (type: ChannelType | undefined, note: string, t: SheetTranslate): string | undefined =>
  note || (type?.key_hint ? t('keyHint', { hint: type.key_hint }) : undefined)

/** The provider's key: a single one, several with one per line, or a JSON document. It is never shown again after saving. */
function KeyField({ form, types, stored }: BasicsSectionProps) {
  const t = useSheetText()
  const values = form.watch()
  const { isBatch, several_keys, key } = values
  const type = types.get(Number(values.type))
  const isNew = stored === undefined
  const move = findKeyMove(stored, values, types)
  const isJson = type?.form.key === 'json'
  const hasLines = !isJson && (isBatch || several_keys)
  const placeholder = isNew || move ? (type?.key_hint ?? '') : t('keyKept')
  const lines = parseKeyLines(key)
  const lineNote = hasLines ? droppedText(lines, t) : ''
  return (
    <>
      {move && <Banner tone="warning">{t('keyMoves', { ...move })}</Banner>}
      <FormField
        form={form}
        name="key"
        label={t('key')}
        isRequired={isNew || move !== undefined}
        aside={hasLines && key !== '' ? t('keysCounted', { count: lines.keys.length }) : undefined}
        help={helpText(type, isJson ? projectText(key, t) : lineNote, t)}
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

/** Several lines either create one channel each or are keys of one channel; the switches exclude each other. */
function KeySwitches({ form, isNew }: Pick<BasicsSectionProps, 'form'> & { readonly isNew: boolean }) {
  const t = useSheetText()
  const { isBatch, several_keys } = form.watch()
  const choose = (name: 'isBatch' | 'several_keys', isOn: boolean) => {
    const other = name === 'isBatch' ? 'several_keys' : 'isBatch'
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
        label={t('several_keys')}
        help={t('several_keys_help')}
        checked={several_keys}
        onChange={event => choose('several_keys', event.target.checked)}
      />
    </>
  )
}

const MARK_DIRTY = { shouldDirty: true, shouldValidate: false } as const

/**
 * Changes the provider. An empty model list, and one that still holds the defaults of the former provider, is filled with the
 * default models of the new provider. A list that was edited is replaced only after a confirmation.
 */
function useTypeChange(form: ChannelFormState, types: ReadonlyMap<number, ChannelType>) {
  const t = useSheetText()
  return async (chosen: string) => {
    const { type: former, models, other } = form.getValues()
    if (chosen === former) return
    const before = types.get(Number(former))
    const after = types.get(Number(chosen))
    form.setValue('type', chosen, MARK_DIRTY)
    if (other === (before?.form.other?.default_value ?? ''))
      form.setValue('other', after?.form.other?.default_value ?? '', MARK_DIRTY)
    if (!after || !(await shouldReplace(models, before, after))) return
    form.setValue('models', after.models, MARK_DIRTY)
  }

  async function shouldReplace(
    models: readonly string[],
    before: ChannelType | undefined,
    after: ChannelType,
  ): Promise<boolean> {
    if (models.length === 0 || models.join() === before?.models.join()) return true
    if (after.models.length === 0) return false
    return confirm({
      title: t('replaceModelsTitle', { count: after.models.length, name: after.name }),
      text: t('replaceModelsText', { count: models.length }),
      action: t('replace'),
      cancelLabel: t('keep'),
    })
  }
}
