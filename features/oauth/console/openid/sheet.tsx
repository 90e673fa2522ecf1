import { Plus, Trash2, X } from 'lucide-react'
import { type Control, Controller, useFieldArray, useFormContext } from 'react-hook-form'
import { TextFormField } from '#console/app/forms/form-fields.tsx'
import { useRecordForm } from '#console/app/forms/record-form.ts'
import { SheetForm } from '#console/app/forms/sheet-form.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { Button, CopyButton, IconButton } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Field, Select, Switch, TextInput } from '#console/ui/forms/fields.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { SheetSection } from '#console/ui/overlays/sheet.tsx'
import { type OpenIdProvider, PROVISIONING } from '../../contract/openid.ts'
import { NEW_PROVIDER, OpenIdFormValues, openIdFormSchema, toFormValues, toSettings } from './form-schema.ts'
import { MembershipSection } from './memberships.tsx'
import { useProviderMutations } from './queries.ts'
import { useOpenIdText } from './text.ts'

interface OpenIdSheetProps {
  /** Absent: a new one. */
  readonly provider?: OpenIdProvider
  readonly onClose: () => void
}

const TEXT_FIELDS = [
  'name',
  'slug',
  'issuer',
  'client_id',
  'client_secret',
  'subject_claim',
  'scopes',
] as const
const LISTS = ['domains', 'required_groups'] as const
const MAPPINGS = ['groups_claim', 'rules', 'memberships'] as const

const withoutSecrets = (values: OpenIdFormValues): OpenIdFormValues => ({ ...values, client_secret: '' })

/** The form of an identity provider. */
export function OpenIdSheet({ provider, onClose }: OpenIdSheetProps) {
  const t = useOpenIdText()
  const { create, update, remove } = useProviderMutations()
  const draft = { name: `openid-${provider?.slug ?? 'new'}`, schema: OpenIdFormValues, withoutSecrets }
  const form = useRecordForm({
    schema: openIdFormSchema,
    start: provider ? toFormValues(provider) : NEW_PROVIDER,
    draft,
  })
  const save = async (values: OpenIdFormValues) => {
    const { slug } = values
    if (provider) await update.mutateAsync({ slug: provider.slug, ...toSettings(values) })
    else await create.mutateAsync({ slug, ...toSettings(values) })
    toast('success', t(provider ? 'saved' : 'created'))
    onClose()
  }
  const askToDelete = async ({ slug, name }: OpenIdProvider) => {
    const question = { title: t('deleteTitle', { name }), text: t('deleteText'), action: t('delete') }
    if (!(await confirm({ ...question, isDanger: true }))) return
    await remove.mutateAsync(slug)
    toast('success', t('deleted'))
    onClose()
  }
  return (
    <SheetForm
      form={form}
      fields={[...TEXT_FIELDS, ...LISTS, ...MAPPINGS].map(name => ({
        name,
        label: t(name),
      }))}
      draft={draft}
      title={provider ? t('editTitle', { name: provider.name }) : t('createTitle')}
      status={
        provider && (
          <ScreenLink
            screen="/audit"
            search={{ kind: 'openid-provider', target: provider.slug }}
            className="text-small text-accent"
          >
            {t('changeHistory')}
          </ScreenLink>
        )
      }
      action={t(provider ? 'save' : 'create')}
      aside={
        provider && (
          <Button
            variant="danger-text"
            icon={Trash2}
            className="mr-auto"
            onClick={() => void askToDelete(provider)}
          >
            {t('delete')}
          </Button>
        )
      }
      onSave={save}
      onClose={onClose}
    >
      <div className="grid gap-7">
        <ConnectionSection isNew={!provider} hasSecret={provider?.has_secret ?? false} />
        {provider && <RegistrationSection provider={provider} />}
        {provider && <ScimSection provider={provider} />}
        <AccessSection control={form.control} />
        <MappingSection control={form.control} />
        <MembershipSection control={form.control} />
      </div>
    </SheetForm>
  )
}

interface ConnectionSectionProps {
  readonly isNew: boolean
  readonly hasSecret: boolean
}

function ConnectionSection({ isNew, hasSecret }: ConnectionSectionProps) {
  const t = useOpenIdText()
  return (
    <SheetSection title={t('connection')}>
      <TextFormField name="name" label={t('name')} help={t('nameHelp')} isRequired />
      {isNew && <TextFormField name="slug" label={t('slug')} help={t('slugHelp')} isRequired />}
      <TextFormField
        name="issuer"
        label={t('issuer')}
        help={t('issuerHelp')}
        isRequired
        inputMode="url"
        placeholder="https://login.example.com"
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextFormField name="client_id" label={t('client_id')} isRequired autoComplete="off" />
        <TextFormField
          name="client_secret"
          type="password"
          label={t('client_secret')}
          help={hasSecret ? t('secretKept') : undefined}
          autoComplete="new-password"
        />
      </div>
      <TextFormField name="subject_claim" label={t('subject_claim')} help={t('subject_claimHelp')} />
      <TextFormField name="scopes" label={t('scopes')} help={t('scopesHelp')} />
      <FlagField name="is_enabled" />
      <FlagField name="signs_out" />
    </SheetSection>
  )
}

function FlagField({ name }: { readonly name: 'is_enabled' | 'signs_out' }) {
  const t = useOpenIdText()
  const { register } = useFormContext()
  return <Switch label={t(name)} {...register(name)} />
}

/** What the administrator of the provider needs. */
function RegistrationSection({ provider }: { readonly provider: OpenIdProvider }) {
  const t = useOpenIdText()
  const addresses = [
    { name: t('callback'), url: provider.callback },
    { name: t('logoutCallback'), url: provider.logout_callback },
  ]
  return (
    <SheetSection title={t('register')}>
      <div className="rounded-card bg-sunken px-3 py-2.5">
        <KeyValues
          items={addresses.map(({ name, url }) => ({
            label: name,
            value: (
              <span className="flex items-center gap-1">
                <code className="min-w-0 font-mono break-all">{url}</code>
                <CopyButton text={url} label={t('copyNamed', { name })} />
              </span>
            ),
          }))}
        />
      </div>
    </SheetSection>
  )
}

function ScimSection({
  provider: { slug, scim_address, has_scim_token },
}: {
  readonly provider: OpenIdProvider
}) {
  const t = useOpenIdText()
  const { issueScimToken, endScim } = useProviderMutations()
  const token = issueScimToken.data?.token
  const end = () =>
    endScim.mutate(slug, {
      onSuccess: () => {
        issueScimToken.reset()
        toast('success', t('scimEnded'))
      },
    })
  return (
    <SheetSection title={t('scim')}>
      <p className="text-small text-muted">{t('scimHelp')}</p>
      <div className="flex items-center gap-1 text-small">
        <code className="min-w-0 font-mono break-all">{scim_address}</code>
        <CopyButton text={scim_address} label={t('copyNamed', { name: t('scimAddress') })} />
      </div>
      {token !== undefined && (
        <Banner tone="info">
          <p>{t('scimOnce')}</p>
          <span className="flex items-center gap-1">
            <code className="min-w-0 font-mono text-small break-all">{token}</code>
            <CopyButton text={token} label={t('copyNamed', { name: t('scimToken') })} />
          </span>
        </Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <Button isBusy={issueScimToken.isPending} onClick={() => issueScimToken.mutate(slug)}>
          {t(has_scim_token ? 'scimReset' : 'scimMake')}
        </Button>
        {has_scim_token && (
          <Button variant="danger-text" isBusy={endScim.isPending} onClick={end}>
            {t('scimEnd')}
          </Button>
        )}
      </div>
    </SheetSection>
  )
}

type SectionProps = { readonly control: Control<OpenIdFormValues> }

function AccessSection({ control }: SectionProps) {
  const t = useOpenIdText()
  return (
    <SheetSection title={t('access')}>
      <Field name="provisioning" label={t('provisioning')}>
        {bound => (
          <Controller
            control={control}
            name="provisioning"
            render={({ field }) => (
              <Select
                {...bound}
                options={PROVISIONING.map(value => ({ value, label: t(value) }))}
                value={field.value}
                onChange={field.onChange}
              />
            )}
          />
        )}
      </Field>
      {LISTS.map(name => (
        <Field key={name} name={name} label={t(name)} help={t(`${name}Help`)}>
          {bound => (
            <Controller
              control={control}
              name={name}
              render={({ field }) => (
                <MultiCombobox {...bound} isFree options={[]} value={field.value} onChange={field.onChange} />
              )}
            />
          )}
        </Field>
      ))}
    </SheetSection>
  )
}

function MappingSection({ control }: SectionProps) {
  const t = useOpenIdText()
  const { register } = useFormContext<OpenIdFormValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'rules' })
  return (
    <SheetSection title={t('mapping')}>
      <p className="text-small text-muted">{t('mappingHelp')}</p>
      <TextFormField name="groups_claim" label={t('groups_claim')} help={t('groups_claimHelp')} />
      <div className="grid gap-2">
        {fields.map(({ id }, index) => (
          <div
            key={id}
            className="grid grid-cols-[1fr_auto] items-center gap-2 sm:grid-cols-[2fr_1fr_1fr_auto]"
          >
            <TextInput
              aria-label={t('ruleValue')}
              placeholder={t('ruleValue')}
              {...register(`rules.${index}.value`)}
            />
            <Controller
              control={control}
              name={`rules.${index}.role`}
              render={({ field }) => (
                <Select
                  aria-label={t('ruleRole')}
                  options={(['user', 'admin'] as const).map(value => ({ value, label: t(value) }))}
                  value={field.value}
                  onChange={field.onChange}
                />
              )}
            />
            <TextInput
              aria-label={t('ruleGroup')}
              placeholder="default"
              {...register(`rules.${index}.group`)}
            />
            <IconButton
              label={t('removeRule', { index: index + 1 })}
              icon={X}
              onClick={() => remove(index)}
            />
          </div>
        ))}
        <div>
          <Button icon={Plus} onClick={() => append({ value: '', role: 'user', group: '' })}>
            {t('addRule')}
          </Button>
        </div>
      </div>
    </SheetSection>
  )
}
