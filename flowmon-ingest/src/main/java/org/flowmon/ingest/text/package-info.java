/**
 * Text from outside, as it may be shown: nothing in it may move a cursor, forge a line, turn the
 * direction of writing or hide.
 */
package org.flowmon.ingest.text;
