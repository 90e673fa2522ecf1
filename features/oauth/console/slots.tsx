import { enabledMethods } from '#console/app/sign-in/sign-in-methods.ts'
import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  signInButtons: [
    {
      isOffered: status => enabledMethods(status).length > 0,
      load: async () => (await import('./sign-in-buttons.tsx')).OauthButtons,
    },
  ],
})
