import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { nowSeconds } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { SegmentedChoice, Select } from '#console/ui/forms/fields.tsx'
import { InputField, SelectField, TextAreaField } from '#console/ui/forms/labelled-inputs.tsx'
import { SecretField } from '#console/ui/forms/secret-field.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { ALL_SCOPES } from '../contract.ts'
import { useAccessTokenChanges } from './queries.ts'
import { useAccessTokenText } from './text.ts'

const DAY_SECONDS = 24 * 3600
const EXPIRY_DAYS = ['7', '30', '90', '365', '0'] as const
const RIGHTS = ['all', 'readAll', 'chosen'] as const
const VERBS = ['noAccess', 'read', 'write'] as const
type Verb = (typeof VERBS)[number]
type Verbs = Readonly<Record<string, Verb>>

interface Draft {
  readonly name: string
  readonly days: (typeof EXPIRY_DAYS)[number]
  readonly rights: (typeof RIGHTS)[number]
  readonly verbs: Verbs
  readonly ips: string
}

const EMPTY: Draft = { name: '', days: '90', rights: 'all', verbs: {}, ips: '' }

function scopesOf({ rights, verbs }: Draft): string[] {
  if (rights === 'all') return [ALL_SCOPES]
  if (rights === 'readAll') return ['*:read']
  return Object.entries(verbs).flatMap(([resource, verb]) =>
    verb === 'noAccess' ? [] : [`${resource}:${verb}`],
  )
}

interface CreateDialogProps {
  readonly userId: number
  readonly resources: readonly string[]
  readonly onClose: () => void
}

/** Asks for name, expiry, permissions and addresses, and shows the token once. */
export function CreateDialog({ userId, resources, onClose }: CreateDialogProps) {
  const t = useAccessTokenText()
  const k = useKitText()
  const form = useId()
  const { create } = useAccessTokenChanges(userId)
  const [draft, setDraft] = useState(EMPTY)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const scopes = scopesOf(draft)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, days, ips } = draft
    const seconds = Number(days) * DAY_SECONDS
    const expires_time = seconds === 0 ? 0 : nowSeconds() + seconds
    create.mutate({ name, scopes, ips, expires_time })
  }
  if (create.data) return <MadeDialog token={create.data.token} onClose={onClose} />
  return (
    <Dialog
      title={t('createTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            disabled={draft.name.trim() === '' || scopes.length === 0}
            isBusy={create.isPending}
          >
            {t('create')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="grid gap-5" onSubmit={submit}>
        {create.error && (
          <Banner tone="danger" isAlert>
            {plainErrorText(create.error)}
          </Banner>
        )}
        <InputField
          label={t('name')}
          help={t('nameHelp')}
          isRequired
          maxLength={40}
          autoComplete="off"
          value={draft.name}
          onChange={event => set({ name: event.target.value })}
        />
        <SelectField
          label={t('expiry')}
          value={draft.days}
          options={EXPIRY_DAYS.map(value => ({
            value,
            label: value === '0' ? t('never') : t('days', { count: Number(value) }),
          }))}
          onChange={days => set({ days })}
        />
        <SegmentedChoice
          label={t('rights')}
          value={draft.rights}
          options={RIGHTS.map(value => ({ value, label: t(value) }))}
          onChange={rights => set({ rights })}
        />
        {draft.rights === 'chosen' && (
          <ScopeTable resources={resources} verbs={draft.verbs} onChange={verbs => set({ verbs })} />
        )}
        <TextAreaField
          label={t('ips')}
          help={t('ipsHelp')}
          isMono
          rows={2}
          value={draft.ips}
          onChange={event => set({ ips: event.target.value })}
        />
      </form>
    </Dialog>
  )
}

interface ScopeTableProps {
  readonly resources: readonly string[]
  readonly verbs: Verbs
  readonly onChange: (verbs: Verbs) => void
}

/** One line for each resource, named as in the paths of the API. */
function ScopeTable({ resources, verbs, onChange }: ScopeTableProps) {
  const t = useAccessTokenText()
  return (
    <div className="grid gap-2">
      <ul
        aria-label={t('rights')}
        className="max-h-64 divide-y divide-line overflow-y-auto rounded-card border border-line"
      >
        {resources.map(resource => (
          <li key={resource} className="flex items-center gap-3 py-1.5 pr-2 pl-3">
            <code className="min-w-0 flex-1 truncate font-mono text-small">{resource}</code>
            <Select
              isSmall
              aria-label={`${t('resource')} ${resource}`}
              value={verbs[resource] ?? 'noAccess'}
              options={VERBS.map(value => ({ value, label: t(value) }))}
              onChange={verb => onChange({ ...verbs, [resource]: verb })}
            />
          </li>
        ))}
      </ul>
      <p className="text-small text-muted">{t('chooseOne')}</p>
    </div>
  )
}

function MadeDialog({ token, onClose }: { readonly token: string; readonly onClose: () => void }) {
  const t = useAccessTokenText()
  return (
    <Dialog
      title={t('made')}
      isPersistent
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('kept')}
        </Button>
      }
    >
      <div className="grid gap-4">
        <Banner tone="warning">{t('once')}</Banner>
        <SecretField secret={token} label={t('token')} />
      </div>
    </Dialog>
  )
}
