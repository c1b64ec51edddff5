import { defineTexts } from '../kit/texts.tsx'

/** The words of the chart and the table of groups. */
export const GROUP_TEXTS = defineTexts({
  en: {
    scale: { whole: 'Share', people: 'Share of all people', largest: 'Against the largest' },
    chart: (measure: string) => `${measure} over time, by group`,
    legend: 'Lines',
    rest: (zone: string) => `In the zone ${zone}. The last point goes on.`,
    left: (shown: string) => `The first ${shown} groups have lines; all of them are in the numbers.`,
    all: 'All',
  },
  de: {
    scale: { whole: 'Anteil', people: 'Anteil an allen Personen', largest: 'Gegenüber der größten' },
    chart: (measure: string) => `${measure} im Lauf der Zeit, nach Gruppe`,
    legend: 'Linien',
    rest: (zone: string) => `In der Zeitzone ${zone}. Der letzte Punkt wächst noch.`,
    left: (shown: string) => `Die ersten ${shown} Gruppen haben Linien; alle stehen in den Zahlen.`,
    all: 'Alle',
  },
})
