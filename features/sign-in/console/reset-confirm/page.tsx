import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { FormErrorBanner, SIGN_IN_LINK, SignInPage } from '#console/app/sign-in/sign-in-page.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { SecretField } from '#console/ui/forms/secret-field.tsx'
import { useResetPassword } from './queries.ts'
import { ResetConfirmSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

interface ResetLink {
  readonly email: string
  readonly token: string
}

export function ResetConfirmPage() {
  const t = useScreenText()
  const { email, token } = useResetLink()
  const reset = useResetPassword()
  return (
    <SignInPage
      heading={t('heading')}
      below={
        <Link to="/login" className={SIGN_IN_LINK}>
          {t('back')}
        </Link>
      }
    >
      {reset.data !== undefined ? (
        <NewPassword password={reset.data} />
      ) : email === '' || token === '' ? (
        <BrokenLink />
      ) : (
        <div className="grid gap-5">
          {reset.error && <FormErrorBanner error={plainErrorText(reset.error)} />}
          <KeyValues items={[{ label: t('email'), value: email }]} />
          <p className="text-muted">{t('intro')}</p>
          <Button
            variant="primary"
            size="large"
            isBusy={reset.isPending}
            className="w-full"
            onClick={() => reset.mutate({ email, token })}
          >
            {t('submit')}
          </Button>
        </div>
      )}
    </SignInPage>
  )
}

/** Reads the link's params and removes them from the URL, so that the token does not stay in the history. */
function useResetLink(): ResetLink {
  const search = useSearchParams(ResetConfirmSearch)
  const navigate = useNavigate()
  const [link] = useState<ResetLink>(search)
  useEffect(() => {
    if (link.token !== '') void navigate({ to: '/user/reset', search: {}, replace: true })
  }, [link, navigate])
  return link
}

function NewPassword({ password }: { readonly password: string }) {
  const t = useScreenText()
  return (
    <div className="grid gap-4">
      <h2 className="text-section font-semibold">{t('doneTitle')}</h2>
      <p className="text-muted">{t('doneText')}</p>
      <SecretField secret={password} label={t('password')} />
      <Link to="/login" className={buttonClasses('primary', 'large')}>
        {t('login')}
      </Link>
    </div>
  )
}

function BrokenLink() {
  const t = useScreenText()
  return (
    <div className="grid gap-4">
      <div>
        <h2 className="text-section font-semibold">{t('invalidTitle')}</h2>
        <p className="mt-1 text-muted">{t('invalidText')}</p>
      </div>
      <Link to="/reset" className={buttonClasses('primary', 'large')}>
        {t('again')}
      </Link>
    </div>
  )
}
