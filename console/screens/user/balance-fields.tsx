import { PlusCircle } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import type { User } from '#contract/users.ts'
import { QuotaFormField, TextFormField } from '../../app/form-fields.tsx'
import { Button } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'
import type { UserFormValues } from './user-form-values.ts'

const dialog = lazyPart(async () => (await import('./quota-dialog.tsx')).QuotaDialog)

/** The balance as a number, with a dialog for who thinks in differences. A change wants a reason. */
export function BalanceFields({ user }: { readonly user: User }) {
  const t = useText(text)
  const { setValue } = useFormContext<UserFormValues>()
  const quota = useWatch<UserFormValues, 'quota'>({ name: 'quota' })
  const [isAdding, setAdding] = useState(false)
  const fill = (next: number) => {
    setValue('quota', String(next), { shouldDirty: true, shouldValidate: true })
    setAdding(false)
  }
  return (
    <>
      <div className="grid gap-2">
        <QuotaFormField name="quota" label={t('balance')} help={t('quotaHelp')} />
        <Button
          size="small"
          icon={PlusCircle}
          className="justify-self-start"
          onPointerEnter={dialog.preload}
          onFocus={dialog.preload}
          onClick={() => setAdding(true)}
        >
          {t('addQuota')}
        </Button>
      </div>
      {quota !== String(user.quota) && (
        <TextFormField
          name="reason"
          label={t('reason')}
          help={t('reasonHelp')}
          placeholder={t('reasonPlaceholder')}
        />
      )}
      <Suspense fallback={null}>
        {isAdding && (
          <dialog.Part
            name={user.username}
            balance={/^\d+$/.test(quota.trim()) ? Number(quota) : user.quota}
            onAdd={fill}
            onClose={() => setAdding(false)}
          />
        )}
      </Suspense>
    </>
  )
}
