/** Writes answers, reports and facts to standard output: tables for people, CSV, JSON. */
@NullMarked
package org.flowmon.deploy.output;

import org.jspecify.annotations.NullMarked;
