/**
 * Alert rules over reports: windows are judged in order; alerts fire, are resolved, and go to Kafka
 * and to webhooks ({@code docs/format/alerts.md}).
 */
@NullMarked
package org.flowmon.jobs.alert;

import org.jspecify.annotations.NullMarked;
