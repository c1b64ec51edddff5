/**
 * Journeys to begin with. `otp` is the reminder of the contract: from `signup` until `otp_verified`, after ten minutes
 * and then once a day.
 */
export const JOURNEY_TEMPLATES = {
  otp: {
    name: 'OTP reminder',
    trigger: { event: 'signup' },
    goal: { event: 'otp_verified' },
    steps: [
      { id: 'wait', wait: { minutes: 10 } },
      {
        id: 'remind',
        send: {
          to: 'anywhere',
          title: 'Almost there{% if user.first_name %}, {{ user.first_name }}{% endif %}',
          message: 'Enter the code that we sent you, and you are in.',
        },
      },
      { id: 'pause', wait: { hours: 24 }, next: 'remind' },
    ],
  },
  welcome: {
    name: 'Welcome',
    trigger: { event: 'signup' },
    quiet_hours: [{ from: '21:00', to: '08:00' }],
    steps: [
      {
        id: 'hello',
        send: {
          to: 'anywhere',
          topic: 'transactional',
          title: 'Welcome{% if user.first_name %}, {{ user.first_name }}{% endif %}',
          message: 'Good to have you here. Have a look around.',
        },
      },
      {
        id: 'first_purchase',
        wait_for: { event: 'first_purchase', within: { days: 3 }, yes: 'thanks', no: 'nudge' },
      },
      {
        id: 'thanks',
        send: { to: 'anywhere', title: 'Thank you', message: 'Your first order is on its way to you soon.' },
        next: 'end',
      },
      {
        id: 'nudge',
        send: {
          to: 'anywhere',
          title: 'Where to begin',
          message: 'These are the favourites of most people.',
        },
      },
    ],
  },
  cart: {
    name: 'Cart reminder',
    trigger: { event: 'cart_addition' },
    goal: { event: 'order_placed' },
    reentry: 'after_exit',
    quiet_hours: [{ from: '21:00', to: '08:00' }],
    steps: [
      { id: 'wait', wait: { hours: 1 } },
      {
        id: 'remind',
        send: {
          to: 'anywhere',
          title: 'Still in your cart',
          message: '{{ event.product_name | default: "What you chose" }} is waiting for you.',
        },
      },
      { id: 'order', wait_for: { event: 'order_placed', within: { days: 1 }, yes: 'end', no: 'last' } },
      {
        id: 'last',
        send: { to: 'anywhere', title: 'Your cart', message: 'We keep it for one more day.' },
      },
    ],
  },
  win_back: {
    name: 'Win-back',
    trigger: { event: 'order_placed' },
    reentry: 'after_exit',
    steps: [
      { id: 'order', wait_for: { event: 'order_placed', within: { days: 60 }, yes: 'order', no: 'spent' } },
      {
        id: 'spent',
        branch: { filter: { field: 'ltv', is: 'gte', value: 100 }, yes: 'regular', no: 'occasional' },
      },
      {
        id: 'regular',
        send: { to: 'anywhere', title: 'It has been a while', message: 'Your favourites are here again.' },
        next: 'mark',
      },
      {
        id: 'occasional',
        send: { to: 'anywhere', title: 'New since your last visit', message: 'Come and have a look.' },
      },
      { id: 'mark', set: { add_tag: 'win_back' } },
    ],
  },
} as const
