/**
 * The states of groups that a site's job publishes: the messages, their topic, and the publisher
 * ({@code docs/format/states-topic.md}).
 */
@NullMarked
package org.flowmon.jobs.site;

import org.jspecify.annotations.NullMarked;
