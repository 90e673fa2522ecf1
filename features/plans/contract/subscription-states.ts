/** States of a subscription. */
export const SUBSCRIPTION_STATES = ['trial', 'active', 'past_due', 'paused', 'cancelled', 'ended'] as const
