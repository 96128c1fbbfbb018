// What the libraries in static/vendor/ put on the page, as far as our modules use it.

interface HtmxDetail {
  elt: Element;
  target: Element | null;
  xhr: XMLHttpRequest;
  requestConfig: {
    elt: Element;
    verb: string;
    path: string;
    parameters: Record<string, unknown>;
  };
  successful: boolean;
  shouldSwap: boolean;
}

interface DocumentEventMap {
  "htmx:beforeRequest": CustomEvent<HtmxDetail>;
  "htmx:beforeSend": CustomEvent<HtmxDetail>;
  "htmx:beforeSwap": CustomEvent<HtmxDetail>;
  "htmx:afterSwap": CustomEvent<HtmxDetail>;
  "htmx:afterRequest": CustomEvent<HtmxDetail>;
  "htmx:responseError": CustomEvent<HtmxDetail>;
  "htmx:sendError": CustomEvent<HtmxDetail>;
}

declare const htmx: {
  ajax(
    verb: "GET" | "POST",
    path: string,
    context: { target: string; swap: string; source?: Element; values?: Record<string, string> },
  ): Promise<void>;
  process(element: Element): void;
  trigger(element: Element, event: string): void;
};

declare const Idiomorph: {
  morph(old: Element, fresh: string, options: { morphStyle: "innerHTML" | "outerHTML" }): void;
  defaults: {
    callbacks: {
      beforeNodeMorphed: (old: Node, fresh: Node) => boolean;
      beforeNodeRemoved: (node: Node) => boolean;
      beforeAttributeUpdated: (name: string, node: Element, type: string) => boolean;
    };
  };
};

declare var Sortable: {
  get(list: Element): unknown;
  create(list: Element, options: Record<string, unknown>): unknown;
};
