import { Plus, X } from 'lucide-react'
import { type Control, Controller, useFieldArray, useFormContext } from 'react-hook-form'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Select, TextInput } from '#console/ui/forms/fields.tsx'
import { SheetSection } from '#console/ui/overlays/sheet.tsx'
import { MAPPED_ROLES } from '../../contract/openid.ts'
import type { OpenIdFormValues } from './form-schema.ts'
import { useOpenIdText } from './text.ts'

const ROLE_TEXTS = { member: 'roleMember', billing: 'roleBilling', admin: 'roleAdmin' } as const

/** Which groups of the provider are members of which organisations. */
export function MembershipSection({ control }: { readonly control: Control<OpenIdFormValues> }) {
  const t = useOpenIdText()
  const { register } = useFormContext<OpenIdFormValues>()
  const { fields, append, remove } = useFieldArray({ control, name: 'memberships' })
  return (
    <SheetSection title={t('memberships')}>
      <p className="text-small text-muted">{t('membershipsHelp')}</p>
      <div className="grid gap-2">
        {fields.map(({ id }, index) => (
          <div
            key={id}
            className="grid grid-cols-[1fr_1fr_auto] items-center gap-2 sm:grid-cols-[2fr_1fr_1fr_auto]"
          >
            <TextInput
              className="col-span-3 sm:col-span-1"
              aria-label={t('ruleValue')}
              placeholder={t('ruleValue')}
              {...register(`memberships.${index}.value`)}
            />
            <TextInput
              aria-label={t('organizationId')}
              placeholder={t('organizationId')}
              inputMode="numeric"
              {...register(`memberships.${index}.organization_id`)}
            />
            <Controller
              control={control}
              name={`memberships.${index}.role`}
              render={({ field }) => (
                <Select
                  aria-label={t('ruleRole')}
                  options={MAPPED_ROLES.map(value => ({ value, label: t(ROLE_TEXTS[value]) }))}
                  value={field.value}
                  onChange={field.onChange}
                />
              )}
            />
            <IconButton
              label={t('removeMembership', { index: index + 1 })}
              icon={X}
              onClick={() => remove(index)}
            />
          </div>
        ))}
        <div>
          <Button
            icon={Plus}
            onClick={() => append({ value: '', organization_id: '', role: MAPPED_ROLES[0] })}
          >
            {t('addMembership')}
          </Button>
        </div>
      </div>
    </SheetSection>
  )
}
