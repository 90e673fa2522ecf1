import { useState } from 'react'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Button } from '../../../ui/buttons/button.tsx'
import { confirm } from '../../../ui/overlays/confirm.ts'
import { copyText } from '../../../ui/buttons/copy-button.tsx'
import { SecretField } from '../../../ui/forms/secret-field.tsx'
import { useText } from '../../../ui/text/text.ts'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useSelfWrites } from './queries.ts'
import { personalText } from './text.ts'

/** Makes the token for programs, which is shown once. */
export function AccessToken() {
  const t = useText(personalText)
  const { makeToken } = useSelfWrites()
  const [token, setToken] = useState<string>()
  const make = async () => {
    if (!(await confirm({ title: t('makeTitle'), text: t('makeText'), action: t('makeToken') }))) return
    makeToken.mutate(undefined, {
      onSuccess: async made => {
        setToken(made)
        toast('success', t((await copyText(made)) ? 'tokenCopied' : 'tokenMade'))
      },
    })
  }
  return (
    <>
      <p className="text-small text-muted">{t('tokenHelp')}</p>
      {token !== undefined && (
        <>
          <Banner tone="warning">{t('tokenOnce')}</Banner>
          <SecretField secret={token} label={t('token')} />
        </>
      )}
      <Button className="justify-self-start" isBusy={makeToken.isPending} onClick={() => void make()}>
        {t('makeToken')}
      </Button>
    </>
  )
}
