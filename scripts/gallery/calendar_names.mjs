// Prints the names of months and weekdays in many languages, from the CLDR data inside Node.
const languages =
  "en zh de fr es pt it nl pl ru uk ja ko tr sv da nb fi cs sk hu ro bg el hr sl et lv lt id ms vi th ar he fa hi bn";
const collect = (options, dates) =>
  dates.map((date) => {
    const format = new Intl.DateTimeFormat(options.language, { ...options, timeZone: "UTC" });
    return format.format(date).replace(/\.$/, "").toLowerCase();
  });
const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2024, month, 15)));
const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)));
const unique = (lists) => [...new Set(lists.map((list) => list.join("|")))];
for (const [kind, dates, forms] of [
  ["MONTH_NAMES", months, [{ month: "long" }, { month: "short" }, { month: "long", day: "numeric" }]],
  ["WEEKDAY_NAMES", days, [{ weekday: "long" }, { weekday: "short" }]],
]) {
  const lists = languages.split(" ").flatMap((language) =>
    forms.map((form) => {
      const names = collect({ language, ...form, calendar: "gregory" }, dates);
      return form.day
        ? dates.map((date) =>
            new Intl.DateTimeFormat(language, { ...form, calendar: "gregory", timeZone: "UTC" })
              .formatToParts(date)
              .filter((part) => part.type === "month")
              .map((part) => part.value.replace(/\.$/, "").toLowerCase())
              .join(""),
          )
        : names;
    }),
  );
  const words = unique(
    lists.filter((list) => new Set(list).size === list.length && !/^\d+$/.test(list[0])),
  );
  console.log(`${kind}: Final = (\n${words.map((list) => `    "${list}",`).join("\n")}\n)`);
}
