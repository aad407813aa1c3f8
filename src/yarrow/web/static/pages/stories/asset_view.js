// One asset: edit it, see its versions and what changed between them, go back, export, delete.

import { html, useEffect, useSignal } from "../../vendor/preact.js";
import { request } from "../../kit/api.js";
import { useDeletion } from "../../kit/deletion.js";
import { readDraft, storeDraft } from "../../kit/drafts.js";
import { clickOnce } from "../../kit/keys.js";
import { ProblemNotice } from "../../kit/problems.js";
import { formatDate, t } from "../../kit/words.js";
import { changeQuery, go } from "./address.js";
import { AssetEditor } from "./asset_editor.js";
import { FORMS } from "./asset_fields.js";
import { Portrait } from "./floors.js";
import { Changes } from "./state_panel.js";
import { storyStamp } from "./story_list.js";
import { Missing } from "./story_view.js";
import { call, download, findKind } from "./tavern.js";

const NAME_CHARACTERS = 200;

/** @param {{path: string, asset: any, against: string, onRollback: (version: number) => void}} props */
function Versions({ path, asset, against, onRollback }) {
  const versions = useSignal(/** @type {any[]} */ ([]));
  const changes = useSignal(/** @type {any[] | null} */ (null));
  useEffect(() => {
    request(`${path}/${asset.id}/versions?limit=100`)
      .then((page) => (versions.value = page.data))
      .catch(() => undefined);
  }, [asset.version]);
  useEffect(() => {
    changes.value = null;
    if (against)
      call(`${path}/${asset.id}/compare?left=${against}&right=${asset.version}`)
        .then((data) => (changes.value = data.changes))
        .catch(() => undefined);
  }, [asset.version, against]);
  return html`<aside class="versions" aria-label=${t("stories.versions")}><h2>${t("stories.versions")}</h2>
    <ol class="list">${versions.value.map(
      (
        each,
      ) => html`<li key=${each.version}><span><b>${t("stories.version", { number: each.version })}</b> <time class="session-time">${formatDate(new Date(each.created_at ?? each.updated_at))}</time></span>
        ${each.version !== asset.version && html`<span class="row"><button type="button" class="button plain" aria-pressed=${against === String(each.version)} onClick=${() => changeQuery({ against: against === String(each.version) ? "" : String(each.version) })}>${t("stories.compare")}</button><button type="button" class="button plain" onClick=${() => onRollback(each.version)}>${t("stories.rollback")}</button></span>`}</li>`,
    )}</ol>
    ${changes.value && html`<h3>${t("stories.changes_since", { number: against })}</h3>${changes.value.length ? html`<${Changes} changes=${changes.value} />` : html`<p class="quiet small">${t("stories.same")}</p>`}`}
  </aside>`;
}

/** @param {{kind: string, asset: any, act: (work: Promise<any>) => void, onRename: (name: string) => void, onDelete: () => void}} props */
function AssetHead({ kind, asset, act, onRename, onDelete }) {
  const { exported } = findKind(kind) ?? {};
  const { id, name } = asset;
  const isNamedInside = FORMS[kind].fields.some((field) => field.name === "name");
  /** @param {any} event */
  const rename = (event) => {
    const typed = event.currentTarget.value.trim();
    if (typed && typed !== name) onRename(typed);
  };
  const begin = () =>
    act(
      call("/sessions", { method: "POST", body: { character_id: id, title: name } }).then((made) =>
        go(`/stories/${made.id}`),
      ),
    );
  /** @param {string} format */
  const saveAs = (format) =>
    act(download(`/export/${exported}/${id}${format === "png" ? "?format=png" : ""}`, `${name}.${format}`));
  return html`<header class="story-head">${kind === "character" && html`<${Portrait} id=${id} name=${name} />`}<div class="story-name"><h1 dir="auto" class=${isNamedInside ? undefined : "unseen"}>${name}</h1>${!isNamedInside && html`<input class="title-field" aria-label=${t("stories.field_name")} dir="auto" maxlength=${NAME_CHARACTERS} value=${name} onChange=${rename} />`}<p class="small quiet">${t("stories.version", { number: asset.version })}</p></div>
    <div class="row">${kind === "character" && html`<button type="button" class="button primary" onClick=${clickOnce(begin)}>${t("stories.begin")}</button>`}
      ${exported && html`<button type="button" class="button" onClick=${() => saveAs("json")}>${t("stories.export", { format: "JSON" })}</button>`}${kind === "character" && html`<button type="button" class="button" onClick=${() => saveAs("png")}>${t("stories.export", { format: "PNG" })}</button>`}
      <button type="button" class="button" onClick=${onDelete}>${t("chat.delete_short")}</button></div></header>`;
}

/** Call something when the page or the view is left. @param {() => void} keep */
function keepWhenLeft(keep) {
  addEventListener("pagehide", keep);
  return () => {
    removeEventListener("pagehide", keep);
    keep();
  };
}

/** An asset as it is stored and as it is edited. What was not saved is kept for the tab. @param {string} path @param {string} id */
function useAsset(path, id) {
  const asset = useSignal(/** @type {any} */ (null));
  const data = useSignal(/** @type {any} */ (null));
  const problem = useSignal(/** @type {any} */ (null));
  const draft = `asset/${id}`;
  /** @param {any} found */
  const show = (found) => {
    asset.value = found;
    data.value = found.data;
  };
  const load = () => {
    problem.value = null;
    return call(`${path}/${id}`).then(show, (error) => (problem.value = error));
  };
  /** Saving what was changed in an older version is a conflict. */
  const restore = () => {
    const kept = JSON.parse(readDraft(draft) || "null");
    if (!kept || !asset.value) return;
    asset.value = { ...asset.value, version: kept.version };
    data.value = kept.data;
  };
  useEffect(() => {
    void load().then(restore);
    return keepWhenLeft(() => {
      if (!asset.value) return;
      const kept = { version: asset.value.version, data: data.value };
      storeDraft(draft, data.value === asset.value.data ? "" : JSON.stringify(kept));
    });
  }, [id]);
  /** @param {Promise<any>} work */
  const act = (work) =>
    work.then(
      (found) => {
        if (found?.id && found.data) show(found);
        problem.value = null;
        storyStamp.value += 1;
        return found;
      },
      (error) => (problem.value = error),
    );
  /** What was typed since stays. @param {{data?: any, name?: string}} changes */
  const patch = (changes) => {
    const sent = changes.data ?? asset.value.data;
    const body = { ...changes, expected_version: asset.value.version };
    const patched = call(`${path}/${id}`, { method: "PATCH", body }).then((found) => {
      if (data.value === sent) data.value = found.data;
      asset.value = found;
    });
    return act(patched);
  };
  return { asset, data, problem, load, act, patch };
}

/** @param {{kind: string, id: string, query: URLSearchParams}} props */
export function AssetView({ kind, id, query }) {
  const { path = "" } = findKind(kind) ?? {};
  const { asset, data, problem, load, act, patch } = useAsset(path, id);
  const isSaved = useSignal(false);
  const isSaving = useSignal(false);
  const { isDoomed, remove, notice } = useDeletion({
    erase: (_id, options) => request(`${path}/${id}`, { method: "DELETE", ...options }),
    onDeleted: () => {
      storyStamp.value += 1;
      if (location.pathname.endsWith(id)) go(`/stories/library/${kind}`);
    },
    onProblem: (error) => (problem.value = error),
  });
  const save = async () => {
    isSaving.value = true; // Saving it twice would be a conflict with oneself.
    await patch({ data: data.value });
    isSaving.value = false;
    isSaved.value = !problem.value;
  };
  if (problem.value?.status === 404 && !asset.value) return html`<${Missing} />`;
  if (!asset.value)
    return problem.value
      ? html`<${ProblemNotice} problem=${problem.value} onRetry=${load} />`
      : html`<div aria-hidden="true"><span class="shape"></span><span class="shape"></span><span class="shape"></span></div>`;
  if (isDoomed(id)) return html`<section class="asset">${notice}</section>`;
  const isChanged = data.value !== asset.value.data;
  const isConflict = problem.value?.code === "version_conflict";
  return html`<section class="asset">
    <p><a href=${`/stories/library/${kind}`}>${t(`stories.kind_${kind}`)}</a></p>
    <${AssetHead} kind=${kind} asset=${asset.value} act=${act} onRename=${(/** @type {string} */ name) => patch({ name })} onDelete=${() => remove(id)} />
    ${isConflict ? html`<div class="notice" role="alert"><p>${t("stories.conflict")}</p><button type="button" class="button" onClick=${load}>${t("stories.take_newest")}</button></div>` : problem.value && html`<${ProblemNotice} problem=${problem.value} />`}
    <div class="asset-grid"><div class="editor">
      <${AssetEditor} kind=${kind} data=${data.value} onChange=${(/** @type {any} */ changed) => ((data.value = changed), (isSaved.value = false))} />
      <div class="save-bar row"><button type="button" class="button primary" disabled=${!isChanged || isSaving.value} onClick=${save}>${t("stories.save")}</button><button type="button" class="button" disabled=${!isChanged} onClick=${() => (data.value = asset.value.data)}>${t("stories.discard")}</button><span role="status" class="quiet small">${isChanged ? t("stories.unsaved") : isSaved.value ? t(kind === "character" ? "stories.saved_character" : "stories.saved") : ""}</span></div>
    </div><${Versions} path=${path} asset=${asset.value} against=${query.get("against") ?? ""} onRollback=${(/** @type {number} */ version) => act(call(`${path}/${id}/rollback`, { method: "POST", body: { version, expected_version: asset.value.version } }))} /></div>
  </section>`;
}
