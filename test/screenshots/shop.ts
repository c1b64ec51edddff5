import { JOURNEY_TEMPLATES } from '../../src/rules/journey-templates.ts'

const FIRST_NAMES =
  `Ada Grace Alan Barbara Edsger Frances Donald Hedy Niklaus Radia Tim Joan Linus Mary Ken Sophie
  Dennis Karen Bjarne Adele Brian Evelyn Guido Shafi Larry Annie Rasmus Lois Yukihiro Anita James Jean Alonzo Kathleen
  Claude Marlyn Emil Ruth Haskell Betty Kurt Margaret Leslie Susan Robin Elena Tony Carla Vera Otto`.split(
    /\s+/,
  )
const CITIES = ['London', 'Leeds', 'Bristol', 'York', 'Glasgow', 'Cardiff']

export const TEAS = [
  { name: 'Sencha', price: '9.80' },
  { name: 'Darjeeling', price: '12.50' },
  { name: 'Lapsang', price: '11.20' },
  { name: 'White Peony', price: '14.90' },
  { name: 'Earl Grey', price: '7.40' },
] as const

export type Person = {
  readonly id: string
  readonly firstName: string
  readonly city: string
  readonly tea: string
  readonly club: boolean
}

/** The person of the virtual devices. */
export const VISITOR: Person = {
  id: 'demo-user',
  firstName: 'Mina',
  city: 'London',
  tea: 'Sencha',
  club: true,
}

/** The people of the shop. */
export const PEOPLE: readonly Person[] = FIRST_NAMES.map((firstName, index) => ({
  id: firstName.toLowerCase(),
  firstName,
  city: CITIES[index % CITIES.length] ?? 'London',
  tea: TEAS[index % TEAS.length]?.name ?? 'Sencha',
  club: index % 4 === 0,
}))

export const SEGMENTS = [
  {
    name: 'Bought twice in 14 days',
    filter: { event: 'purchase', count: { gte: 2 }, within_days: 14 },
  },
  { name: 'Club members in London', filter: { all: [attribute('club', true), attribute('city', 'London')] } },
  {
    name: 'Left something in the cart',
    filter: { all: [{ event: 'added to cart' }, { not: { event: 'purchase', within_days: 3 } }] },
  },
] as const

function attribute(name: string, value: string | boolean) {
  return { attribute: name, is: 'eq', value }
}

export const JOURNEY = { ...JOURNEY_TEMPLATES.otp, name: 'Enter the code' }

const AUTUMN = {
  title: 'The autumn teas are here, {{ user.first_name }}',
  message: 'Six new ones, from smoky to sweet.',
  url: 'https://leaf-and-kettle.example/autumn',
} as const

/** Texts that templates share. */
export const SNIPPETS = [
  { name: 'closing', text: 'Warmly, Leaf & Kettle' },
  { name: 'greeting', text: 'Hello {{ user.first_name | default: "there" }}' },
] as const

/** The first one is changed once, so that it has two versions. */
export const TEMPLATES = [
  {
    name: 'Order on its way',
    content: {
      title: '{% render "greeting" %}, your tea is on its way',
      message: 'It left our shop today and arrives within two days. {% render "closing" %}',
      url: 'https://leaf-and-kettle.example/orders',
      languages: {
        de: { title: 'Ihr Tee ist unterwegs', message: 'Er kommt in zwei Tagen bei Ihnen an.' },
      },
    },
  },
  {
    name: 'Cart reminder',
    content: { title: 'Your {{ user.favourite_tea }} waits', message: 'It is still in your cart.' },
    platforms: ['android', 'ios'],
  },
  {
    name: 'Back in stock',
    content: { title: 'It is back', message: 'The tea that you looked at is on our shelves again.' },
  },
] as const

/** The last one stays a draft. */
export const CAMPAIGNS = [
  {
    name: 'Autumn teas',
    audience: { everyone: true },
    content: AUTUMN,
    include_virtual_devices: true,
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { message: 'Six new ones. Which is yours?' } },
    ],
    isLaunched: true,
  },
  {
    name: 'Free delivery this week',
    audience: { everyone: true },
    content: { title: 'We bring it to your door', message: 'Free delivery until Sunday.' },
    isLaunched: true,
  },
  {
    name: 'Winter box',
    audience: { everyone: true },
    content: {
      title: 'The winter box, {{ user.first_name }}',
      message: 'Five teas, one kettle, and a card.',
      url: 'https://leaf-and-kettle.example/winter',
    },
    languages: { de: { title: 'Die Winterkiste', message: 'Fünf Tees, ein Kessel und eine Karte.' } },
    isLaunched: false,
  },
] as const
