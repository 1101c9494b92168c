/** What the collector and the server tell Prometheus: one list of metrics, one text format. */
@NullMarked
package org.flowmon.deploy.metrics;

import org.jspecify.annotations.NullMarked;
